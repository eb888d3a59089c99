# Asks the "service" for the unit of the measurements. It is busy the first two times.
tickets=$1
asked=$(ls "$tickets" | wc -l)
if [ "$asked" -lt 2 ]; then
  mktemp "$tickets/ticket.XXXXXX" > /dev/null
  echo "the service is busy" >&2
  exit 75
fi
echo "°C"
