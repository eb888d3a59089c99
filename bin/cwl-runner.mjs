#!/usr/bin/env node
// The `cwl-runner` command: `varve run`, under the name that the CWL standard gives to whatever runs its documents.
process.argv.splice(2, 0, 'run');
await import('./varve.mjs');
