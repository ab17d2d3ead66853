#!/usr/bin/env node
// countersign-verify: the command that checks records, proofs, heads, bundles and exports, without trusting the service.
import './verify/least-node.ts'
import { TERMINAL } from './command-line.ts'
import { runVerify } from './verify/run-verify.ts'

process.exitCode = await runVerify(process.argv.slice(2), TERMINAL)
