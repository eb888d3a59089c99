# Passes on the rows of a table, and fails at the first value that is no number.
NR == 1 { next }
$2 !~ /^-?[0-9]+(\.[0-9]+)?$/ {
  print FILENAME ":" NR ": \"" $2 "\" is no number" > "/dev/stderr"
  exit 1
}
{ print }
