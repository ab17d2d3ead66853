// npm run eval: measures how often readings of labelled letters are right, on a deployment's live route. `pii` measures the scan of
// prompts for identifiers instead.
import { readFileSync, writeFileSync } from 'node:fs'
import * as z from 'zod'
import { runCommand, wholeNumber } from './command-line.ts'
import { readLabelledLetters } from './eval/labelled-files.ts'
import { PII_HELP, reportPii } from './eval/pii.ts'
import { readLetters, unpublishedLabels } from './eval/read-letters.ts'
import { measure, readingsCsv, reportMeasures } from './eval/readings-report.ts'

const LOCAL = 'http://127.0.0.1:8787'
const LOCAL_KEYS = '.wrangler/state/demo-keys.json'

const HELP = `Usage: npm run eval -- [FOLDER|CSV] [options]

Measures how often live readings of labelled letters agree and are right.

  FOLDER           text files and labels.csv: file, specialty, ageGroup, problems
                   (default data/eval)
  CSV              columns id, text, specialty, ageGroup, and optionally problems
                   specialty: empty if no published one fits, or for two problems
                   ageGroup: empty if the letter does not say
                   problems: 1 or 2
  --base-url URL   the deployment (default ${LOCAL})
  --key KEY        a live key, vk_live_… (default COUNTERSIGN_KEY, then npm start's key)
  --csv FILE       also writes one row per letter

Send only invented letters. npm run eval -- pii measures the scan of prompts.

Example:
  npm run eval -- --csv readings.csv

Exit codes: 0 done, 1 a letter was not read, 2 not possible.`

const evaluatePii = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: PII_HELP,
    options: { letters: { type: 'string', default: '600' }, seed: { type: 'string', default: '1' } },
    run: ({ values: { letters, seed } }) =>
      console.log(reportPii(wholeNumber('letters', letters), wholeNumber('seed', seed))),
  })

const evaluateReadings = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    takesArguments: true,
    options: {
      'base-url': { type: 'string', default: LOCAL },
      key: { type: 'string' },
      csv: { type: 'string' },
    },
    async run({ values, positionals: [path = 'data/eval'] }) {
      const key = values.key ?? process.env['COUNTERSIGN_KEY'] ?? localLiveKey()
      const service = { baseUrl: values['base-url'].replace(/\/+$/, ''), key }
      const letters = readLabelledLetters(path)
      const unpublished = await unpublishedLabels(service, letters)
      if (unpublished.length > 0)
        throw new Error(
          `These labels are not published there: ${unpublished.join(', ')}. Correct them or publish their lists.`,
        )
      const outcomes = await readLetters(service, letters)
      const evaluated = outcomes.flatMap((outcome) => (outcome.kind === 'read' ? [outcome.evaluated] : []))
      const unread = outcomes.flatMap((outcome) => (outcome.kind === 'unread' ? [outcome] : []))
      console.log(reportMeasures(measure(evaluated), unread))
      if (values.csv !== undefined) writeFileSync(values.csv, readingsCsv(evaluated))
      return unread.length > 0 ? 1 : 0
    },
  })

function localLiveKey(): string {
  try {
    return z.object({ liveKey: z.string() }).parse(JSON.parse(readFileSync(LOCAL_KEYS, 'utf8'))).liveKey
  } catch {
    throw new Error('A live key is missing. Add --key, or run npm start first.')
  }
}

try {
  const [subject, ...rest] = process.argv.slice(2)
  process.exitCode = await (subject === 'pii' ? evaluatePii(rest) : evaluateReadings(process.argv.slice(2)))
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown)
  process.exitCode = 2
}
