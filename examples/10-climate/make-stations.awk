# Made the files in stations/: awk -f make-stations.awk
# Twenty years of daily mean temperatures of three invented stations: a yearly cycle, weather that remembers the day before, some
# missing days, and a warming of 0.3 degrees per decade. The random numbers are a plain linear generator, so every awk makes the same.
function uniform() { state = (state * 16807) % 2147483647; return state / 2147483647 }
function noise() { return uniform() + uniform() + uniform() + uniform() - 2 }
function days(year, month) {
  if (month == 2) return 28 + (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
}
function make(name, mean, swing, seed,    year, month, day, t, weather, line, file) {
  state = seed; weather = 0; t = 0; file = "stations/" name ".txt"
  for (year = 2001; year <= 2020; year++) for (month = 1; month <= 12; month++) {
    line = sprintf("%d-%02d", year, month)
    for (day = 1; day <= days(year, month); day++) {
      t++
      weather = 0.75 * weather + 2.2 * noise()
      value = mean - swing * cos(6.28318530718 * (t - 20) / 365.25) + weather + 0.03 * t / 365.25
      line = line " " (uniform() < 0.004 ? "-9999" : sprintf("%d", value * 10 + (value < 0 ? -0.5 : 0.5)))
    }
    print line > file
  }
  close(file)
}
BEGIN { make("harbour", 10.5, 7, 11); make("plain", 8.5, 11, 22); make("summit", -1.5, 6.5, 33) }
