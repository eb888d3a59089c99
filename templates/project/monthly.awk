# The mean of the second column for each month of "year-month,millimetres".
NR > 1 {
  split($1, date, "-")
  sum[date[2]] += $2
  years[date[2]]++
}
END {
  for (month = 1; month <= 12; month++) {
    key = sprintf("%02d", month)
    if (years[key] > 0) printf "%s %.1f\n", key, sum[key] / years[key]
  }
}
