cwlVersion: v1.2
class: CommandLineTool
doc: The line with the largest second number, with the name of the file before it.
baseCommand: awk
arguments:
  - -v
  - name=$(inputs.core.nameroot)
  - '$2 > most { most = $2; line = $0 } END { print name, line }'
inputs:
  core:
    type: File
    inputBinding: {position: 1}
outputs:
  layer: stdout
stdout: $(inputs.core.nameroot).layer
