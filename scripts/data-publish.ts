// `npm run data:publish -- FILE --published-on YYYY-MM-DD`: publishes one of the publisher's CSV files, lists the
// versions held, goes back to one of them, or takes a wrong one away. The work is in scripts/data-publish/.
import { runDataPublish } from './data-publish/run-publish.ts'

const code = await runDataPublish(process.argv.slice(2), {
  print: (text) => console.log(text),
  report: (text) => console.error(text),
  overwrite: process.stderr.isTTY
    ? (text, isLast) => process.stderr.write(`\r\u{1b}[K${text}${isLast ? '\n' : ''}`)
    : null,
  // Opened only when there is something to do: it takes a second.
  withStore: async (...asked) => (await import('./dataset-storage.ts')).withDatasetStore(...asked),
})

// A runtime that was lost leaves requests open that would keep this process from ending.
process.exit(code)
