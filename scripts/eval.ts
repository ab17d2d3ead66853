// npm run eval: measures the readers on labelled letters, through the live route of a deployment, and the guards of the policies on
// labelled texts.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { BIAS_HELP, runBiasEval } from './eval/bias.ts'
import { INJECTION_HELP, reportInjections, reportInventedSets } from './eval/injection.ts'
import { readLabelledLetters, readLabelledTexts } from './eval/labelled-files.ts'
import { PII_HELP, runPiiEval } from './eval/pii.ts'
import { readLetters, unpublishedLabels } from './eval/read-letters.ts'
import { measure, readingsCsv, reportMeasures } from './eval/readings-report.ts'

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
npm run eval -- bias measures the statistics of bias detection over invented calls.

Only invented letters may be sent. Against the model emulator the figures are those of its table of words.`

const help = { type: 'boolean', short: 'h' } as const

try {
  const [subject, ...rest] = process.argv.slice(2)
  if (subject === 'injection') evaluateInjection(rest)
  else if (subject === 'pii') evaluatePii(rest)
  else if (subject === 'bias') evaluateBias(rest)
  else await evaluateReadings()
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown)
  process.exitCode = 2
}

function evaluateInjection(args: string[]): void {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { help } })
  const [path, ...more] = positionals
  if (values.help) console.log(INJECTION_HELP)
  else if (more.length > 0) throw new Error('Give one file at a time.')
  else console.log(path === undefined ? reportInventedSets() : reportInjections(path, readLabelledTexts(path)))
}

function evaluatePii(args: string[]): void {
  const { values } = parseArgs({
    args,
    options: {
      letters: { type: 'string', default: '600' },
      seed: { type: 'string', default: '1' },
      python: { type: 'string', default: 'python3' },
      alone: { type: 'boolean', default: false },
      help,
    },
  })
  if (values.help) console.log(PII_HELP)
  else runPiiEval(values)
}

function evaluateBias(args: string[]): void {
  const { values } = parseArgs({
    args,
    options: {
      pairs: { type: 'string', default: '1000' },
      years: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      help,
    },
  })
  if (values.help) console.log(BIAS_HELP)
  else runBiasEval(values)
}

async function evaluateReadings(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'base-url': { type: 'string', default: LOCAL }, key: { type: 'string' }, csv: { type: 'string' }, help },
  })
  if (values.help) return console.log(HELP)
  const key = values.key ?? process.env['COUNTERSIGN_KEY'] ?? localLiveKey()
  const service = { baseUrl: values['base-url'].replace(/\/+$/, ''), key }
  const letters = readLabelledLetters(positionals[0] ?? 'data/eval')
  const unpublished = await unpublishedLabels(service, letters)
  if (unpublished.length > 0) throw new Error(`Labels that are not published there: ${unpublished.join(', ')}.`)
  const outcomes = await readLetters(service, letters)
  const evaluated = outcomes.flatMap((outcome) => (outcome.kind === 'read' ? [outcome.evaluated] : []))
  const unread = outcomes.flatMap((outcome) => (outcome.kind === 'unread' ? [outcome] : []))
  console.log(reportMeasures(measure(evaluated), unread))
  if (values.csv !== undefined) writeFileSync(values.csv, readingsCsv(evaluated))
  if (unread.length > 0) process.exitCode = 1
}

function localLiveKey(): string {
  try {
    return z.object({ liveKey: z.string() }).parse(JSON.parse(readFileSync(LOCAL_KEYS, 'utf8'))).liveKey
  } catch {
    throw new Error('Give a live key with --key, or run npm start here first.')
  }
}
