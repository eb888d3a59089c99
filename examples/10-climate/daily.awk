# One line per day, "year month day temperature", from one line per month in tenths of a degree; -9999 is a missing day.
{
  split($1, date, "-")
  for (i = 2; i <= NF; i++) {
    if ($i == -9999) continue
    if ($i !~ /^-?[0-9]+$/ || $i < -900 || $i > 600) {
      print FILENAME ":" NR ": \"" $i "\" is no temperature" > "/dev/stderr"
      exit 1
    }
    printf "%d %d %d %.1f\n", date[1], date[2], i - 1, $i / 10
  }
}
