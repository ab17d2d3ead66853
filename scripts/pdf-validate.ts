#!/usr/bin/env node
// Has veraPDF judge reports by PDF/UA-1 and PDF/A-2a: npm run pdf:validate
import { runValidate } from './pdf/run-validate.ts'

process.exitCode = await runValidate(process.argv.slice(2), {
  print: (text) => console.log(text),
  report: (text) => console.error(text),
})
