// Runs Microsoft Presidio, for comparison with the scan of prompts. Its Python environment is made once, in an ignored folder.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Shape } from '../../src/scanning/identifiers/identifier-shapes.ts'
import type { AnnotatedText, Span } from './invented-letters.ts'

const PRESIDIO = '2.2.366'
const SPACY = '3.8.18'
const MODEL = 'en_core_web_sm'
const MODEL_VERSION = '3.8.0'
const MODEL_URL = `https://github.com/explosion/spacy-models/releases/download/${MODEL}-${MODEL_VERSION}/${MODEL}-${MODEL_VERSION}-py3-none-any.whl`
const FOLDER = `.wrangler/eval/presidio-${PRESIDIO}`
const PYTHON = join(FOLDER, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
const SCRIPT = join(import.meta.dirname, 'presidio.py')

/** Presidio's entities and the shapes that they mean. */
const ENTITIES: ReadonlyMap<string, Shape> = new Map([
  ['EMAIL_ADDRESS', 'email_address'],
  ['PHONE_NUMBER', 'phone_number'],
  ['DATE_TIME', 'date'],
  ['UK_NHS', 'nhs_number'],
  ['UK_POSTCODE', 'uk_postcode'],
  ['CREDIT_CARD', 'payment_card'],
  ['IBAN_CODE', 'iban'],
])

export const COMPARED_SHAPES: ReadonlySet<Shape> = new Set(ENTITIES.values())

export type Presidio = { readonly name: string; readonly scan: (texts: readonly AnnotatedText[]) => Span[][] }

/** Opens Presidio. Returns a sentence if that fails. @param python the interpreter that makes the environment */
export function openPresidio(python: string): Presidio | string {
  if (!existsSync(PYTHON) && !run(python, ['-m', 'venv', FOLDER])) return `${python} makes no virtual environment.`
  const packages = [`presidio-analyzer==${PRESIDIO}`, `spacy==${SPACY}`]
  if (!has('presidio_analyzer') && !pip(packages)) return 'Its packages could not be installed: is there a network?'
  const hasModel = has(MODEL) || pip(['--no-deps', MODEL_URL])
  const model = hasModel
    ? `${MODEL} ${MODEL_VERSION}`
    : `no language model (${MODEL_URL} cannot be reached): patterns alone`
  return {
    name: `presidio-analyzer ${PRESIDIO}, spaCy ${SPACY}, ${model}`,
    scan: (texts) => scan(texts, hasModel ? MODEL : 'blank'),
  }
}

const pip = (wanted: readonly string[]): boolean => run(PYTHON, ['-m', 'pip', 'install', '--quiet', ...wanted])

const has = (module: string): boolean => run(PYTHON, ['-c', `import ${module}`])

const run = (command: string, args: readonly string[]): boolean => spawnSync(command, args).status === 0

const FoundSchema = z.array(z.tuple([z.string(), z.int(), z.int()]))

function scan(texts: readonly AnnotatedText[], model: string): Span[][] {
  const input = texts.map(({ text }) => `${JSON.stringify(text)}\n`).join('')
  const args = [SCRIPT, [...ENTITIES.keys()].join(','), model]
  const { status, stdout, stderr } = spawnSync(PYTHON, args, { input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  if (status !== 0) throw new Error(`Presidio failed. To skip it, add --alone.\n${stderr.slice(-2_000)}`)
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) =>
      FoundSchema.parse(JSON.parse(line)).flatMap(([entity, start, end]) => {
        const shape = ENTITIES.get(entity)
        return shape === undefined ? [] : [{ shape, start, end }]
      }),
    )
}
