# Sourced by synth-parallel and compare-parallel: the number of slices, the hosts, and a check of the options of synth.
shards=${SHARDS:-$(nproc)}
refuse() {
  echo "${0##*/}: $1" >&2
  exit 2
}
[[ $shards =~ ^[1-9][0-9]*$ ]] || refuse "SHARDS is \"$shards\"; set it to a whole number from 1 on"

# HOSTS names a file of ssh logins, one per line. A slice whose host fails is made again on another host: output is whole or discarded.
remote=()
if [[ -n ${HOSTS:-} ]]; then
  [[ -f $HOSTS && -r $HOSTS ]] || refuse "HOSTS is \"$HOSTS\", which is not a readable file; name a file of ssh logins"
  [[ -n ${SHARDS:-} ]] || refuse 'HOSTS needs SHARDS; set it to a few times the number of cores of all hosts'
  remote=(--sshloginfile "$HOSTS" --workdir . --retries 3)
  # A host that stops answering is given up after 30 s.
  export PARALLEL_SSH=${PARALLEL_SSH:-ssh -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=10 -o ServerAliveCountMax=3}
fi

# refuse_unfit [options of synth]: ends the script at an option that slices cannot have.
refuse_unfit() {
  local option before=
  for option; do
    case "$before $option" in
      *" --tee="* | "--tee "*) [[ -z ${HOSTS:-} ]] || refuse "$option would hold a slice twice that is made again; leave it out" ;;&
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
