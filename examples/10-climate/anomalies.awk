# Reads the days of one station twice: first for the mean of each calendar month over all years (the climatology), then for how far
# each year lies above or below it. A year with fewer than 350 days is left out.
NR == FNR { sum[$2] += $4; count[$2]++; next }
{ anomaly[$1] += $4 - sum[$2] / count[$2]; seen[$1]++ }
END {
  for (month = 1; month <= 12; month++) printf "%d %.2f\n", month, sum[month] / count[month] > climatology
  for (year = 1800; year <= 2100; year++)
    if (seen[year] >= 350) printf "%d %.3f\n", year, anomaly[year] / seen[year]
}
