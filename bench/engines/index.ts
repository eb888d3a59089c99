// All engines that are measured, Varve first.
import type { Engine } from '../harness/engine.ts';
import { cwltool, toil } from './cwl.ts';
import { luigi } from './luigi.ts';
import { make } from './make.ts';
import { nextflow } from './nextflow.ts';
import { airflow, dbos, prefect } from './python.ts';
import { redun } from './redun.ts';
import { snakemake } from './snakemake.ts';
import { varve } from './varve.ts';
import { xargs } from './xargs.ts';

export const engines: readonly Engine[] = [
  varve,
  xargs,
  make,
  snakemake,
  redun,
  luigi,
  nextflow,
  cwltool,
  toil,
  prefect,
  airflow,
  dbos,
];
