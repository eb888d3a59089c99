# Prints the rows whose second column is above the limit.
NR > 1 && $2 > limit { print $1 "," $2 }
