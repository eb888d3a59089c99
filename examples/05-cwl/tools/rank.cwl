cwlVersion: v1.2
class: CommandLineTool
requirements:
  ShellCommandRequirement: {}
baseCommand: [sort, -k3, -n, -r]
arguments:
  - {position: 2, shellQuote: false, valueFrom: '| head -n $(inputs.longest)'}
inputs:
  layers:
    type: File[]
    inputBinding: {position: 1}
  longest: int
outputs:
  ranking: stdout
stdout: ranking.txt
