# Read by synth-parallel and compare-parallel: the number of slices, and the options of synth that do not go with slices.
shards=${SHARDS:-$(nproc)}
refuse() {
  echo "${0##*/}: $1" >&2
  exit 2
}
[[ $shards =~ ^[1-9][0-9]*$ ]] || refuse "SHARDS is \"$shards\"; set it to a whole number from 1 on"

# refuse_unfit [options of synth]: ends the script at an option that slices cannot have.
refuse_unfit() {
  local option before=
  for option; do
    case "$before $option" in
      *" -o"* | *" --output"*) refuse "$option would mix the slices; redirect stdout" ;;
      *" --shard"*) refuse "$option is what this script gives; set SHARDS" ;;
      *" now" | *" --from=now" | *" --live") refuse 'each slice would have a "now" of its own; give a time' ;;
      *" --fault-report="*{}* | "--fault-report "*{}* | *" --tee="*{}* | "--tee "*{}*) ;;
      *" --tee="* | "--tee "*) refuse "$option would mix the slices; name it as in sent.{}.log" ;;
      *" --fault-report="* | "--fault-report "*) refuse "$option would be the report of every slice; name it as in faults.{}.ndjson" ;;
    esac
    before=$option
  done
}
