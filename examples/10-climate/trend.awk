# The mean anomaly of all stations for each year, and the straight line through them by least squares, with the 95 % interval of its
# slope (Student's t for the years at hand; the years count as independent).
BEGIN { split("12.71 4.30 3.18 2.78 2.57 2.45 2.36 2.31 2.26 2.23 2.20 2.18 2.16 2.14 2.13 2.12 2.11 2.10 2.09 2.09", student) }
{ sum[$1] += $2; count[$1]++ }
END {
  for (year = 1800; year <= 2100; year++) if (count[year] > 0) {
    y[year] = sum[year] / count[year]
    printf "%d %.3f\n", year, y[year] > annual
    n++; sx += year; sy += y[year]
  }
  if (n < 3) { print "a trend needs three years" > "/dev/stderr"; exit 1 }
  mx = sx / n; my = sy / n
  for (year in y) { sxx += (year - mx) ^ 2; sxy += (year - mx) * (y[year] - my) }
  slope = sxy / sxx; start = my - slope * mx
  for (year in y) rest += (y[year] - start - slope * year) ^ 2
  half = (n - 2 > 20 ? 1.96 : student[n - 2]) * sqrt(rest / (n - 2) / sxx)
  printf "years %d\nslope %.4f\nintercept %.4f\nper-decade %.2f\nfrom %.2f\nto %.2f\n", \
    n, slope, start, 10 * slope, 10 * (slope - half), 10 * (slope + half)
}
