#!/usr/bin/env node
// countersign-verify: checks records, proofs, heads, bundles and exports from outside, with the pure modules alone.
import { runVerify } from './verify/run-verify.ts'

process.exitCode = await runVerify(process.argv.slice(2), {
  print: (text) => console.log(text),
  report: (text) => console.error(text),
})
