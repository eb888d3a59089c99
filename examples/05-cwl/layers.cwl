#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: Workflow
label: Thickest layers
doc: |
  Finds the thickest layer of each core and puts the cores in order.

requirements:
  ScatterFeatureRequirement: {}

inputs:
  cores:
    type: File[]
    doc: tables of layers, one file for each core; year and thickness in each line
  longest:
    type: int
    default: 3
    doc: how many cores to name

outputs:
  ranking:
    type: File
    outputSource: rank/ranking

steps:
  thickest:
    scatter: core
    in: {core: cores}
    out: [layer]
    run: tools/thickest.cwl
  rank:
    in: {layers: thickest/layer, longest: longest}
    out: [ranking]
    run: tools/rank.cwl
