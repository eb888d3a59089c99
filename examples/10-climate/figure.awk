# Draws annual anomalies and their trend as SVG: first file the trend, second file the years.
NR == FNR { fact[$1] = $2; next }
{ year[++n] = $1; value[n] = $2; if ($2 > high) high = $2; if ($2 < low) low = $2 }
function x(t) { return 60 + 520 * (t - year[1]) / (year[n] - year[1]) }
function y(v) { return 260 - 220 * (v - bottom) / (top - bottom) }
END {
  top = int(high * 2 + 1) / 2; bottom = -int(-low * 2 + 1) / 2
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 620 310\" font-family=\"sans-serif\" font-size=\"12\">"
  print "<title>Annual temperature anomalies and their trend</title>"
  print "<rect width=\"620\" height=\"310\" fill=\"#fff\"/>"
  printf "<text x=\"60\" y=\"22\" font-size=\"14\">Temperature anomaly of three stations: %.2f °C per decade (%.2f to %.2f)</text>\n", \
    fact["per-decade"], fact["from"], fact["to"]
  for (v = bottom; v <= top + 0.001; v += 0.5) {
    printf "<line x1=\"60\" x2=\"580\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>", y(v), y(v)
    printf "<text x=\"52\" y=\"%.1f\" text-anchor=\"end\">%.1f</text>\n", y(v) + 4, v
  }
  for (i = 1; i <= n; i++) {
    warm = (value[i] > 0); edge = y(value[i])
    printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"%.1f\" fill=\"%s\"/>\n", x(year[i]) - 7, \
      warm ? edge : y(0), warm ? y(0) - edge : edge - y(0), warm ? "#c44536" : "#3a6ea5"
    if (year[i] % 5 == 0) printf "<text x=\"%.1f\" y=\"290\" text-anchor=\"middle\">%d</text>\n", x(year[i]), year[i]
  }
  printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#222\" stroke-width=\"2\"/>\n", x(year[1]), \
    y(fact["intercept"] + fact["slope"] * year[1]), x(year[n]), y(fact["intercept"] + fact["slope"] * year[n])
  print "</svg>"
}
