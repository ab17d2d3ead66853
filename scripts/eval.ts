// npm run eval: how well the readers do on labelled letters, through the live route of a deployment; and how well the guards of
// the policies do on labelled texts.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { readLabelledLetters } from './eval/labelled-letters.ts'
import { measure } from './eval/measures.ts'
import { runInjectionEval } from './eval/injection/run-injection.ts'
import { runPiiEval } from './eval/pii/run-pii.ts'
import { readLetters, unpublishedLabels } from './eval/read-letters.ts'
import { readingsCsv, reportMeasures } from './eval/report.ts'

const LOCAL = 'http://127.0.0.1:8787'
const LOCAL_KEYS = '.wrangler/state/demo-keys.json'

const HELP = `npm run eval -- [FOLDER_OR_CSV] [options]

Sends labelled letters to a live key and says how often both readers agreed, and how often they were right. Without a
path it reads the invented letters of data/eval.

  FOLDER            text files beside labels.csv, whose columns are file, specialty, ageGroup and problems
  CSV               columns id, text, specialty, ageGroup and, where there is one, problems
  An empty specialty means that none of the published ones fits; an empty ageGroup, that the letter does not tell.
  problems is 1, or 2 for a letter that asks about two problems of different specialties: it has no specialty.

  --base-url URL    the deployment (${LOCAL})
  --key KEY         a live key, vk_live_…; else COUNTERSIGN_KEY, else the one that npm start made
  --csv FILE        also writes one row for each letter
  --help            this text

npm run eval -- injection [CSV] measures the prompt injection guard instead; --help after it says how.
npm run eval -- pii measures the scan for identifiers, accounts and tokens, beside Presidio.

Only invented letters may be sent. Against the model emulator the figures are those of its table of words.`

try {
  const [subject, ...rest] = process.argv.slice(2)
  if (subject === 'injection') runInjectionEval(rest)
  else if (subject === 'pii') runPiiEval(rest)
  else await runLettersEval()
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown)
  process.exitCode = 2
}

async function runLettersEval(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'base-url': { type: 'string', default: LOCAL },
      key: { type: 'string' },
      csv: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) console.log(HELP)
  else {
    const key = values.key ?? process.env['COUNTERSIGN_KEY'] ?? localLiveKey()
    await evaluate({ path: positionals[0] ?? 'data/eval', baseUrl: values['base-url'], key, csv: values.csv })
  }
}

type Options = { path: string; baseUrl: string; key: string; csv: string | undefined }

async function evaluate({ path, baseUrl, key, csv }: Options): Promise<void> {
  const service = { baseUrl: baseUrl.replace(/\/+$/, ''), key }
  const letters = readLabelledLetters(path)
  const unpublished = await unpublishedLabels(service, letters)
  if (unpublished.length > 0) throw new Error(`Labels that are not published there: ${unpublished.join(', ')}.`)
  const outcomes = await readLetters(service, letters)
  const evaluated = outcomes.flatMap((outcome) => (outcome.kind === 'read' ? [outcome.evaluated] : []))
  const unread = outcomes.flatMap((outcome) => (outcome.kind === 'unread' ? [outcome] : []))
  console.log(reportMeasures(measure(evaluated), unread))
  if (csv !== undefined) writeFileSync(csv, readingsCsv(evaluated))
  if (unread.length > 0) process.exitCode = 1
}

function localLiveKey(): string {
  try {
    return z.object({ liveKey: z.string() }).parse(JSON.parse(readFileSync(LOCAL_KEYS, 'utf8'))).liveKey
  } catch {
    throw new Error('Give a live key with --key, or run npm start here first.')
  }
}
