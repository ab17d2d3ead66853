// npm run eval -- injection: how much of labelled texts the prompt injection guard finds, and how often it is wrong.
import { parseArgs } from 'node:util'
import { countWordings, createCorpus, type CorpusName } from './corpus.ts'
import { measureInjections } from './measure.ts'
import { readLabelledTexts } from './read-labelled-texts.ts'
import { reportInjections } from './report.ts'

const HELP = `npm run eval -- injection [CSV]

Says how many attacks the prompt injection guard finds and how many harmless texts it takes for one. Without a file it reads
two sets of invented texts that the repository makes: the one that the rules were written with, and one that was held out.

  CSV      columns text and label (attack or 1, benign or 0); family and role (user or tool) may be there too
  --help   this text

Nothing is fetched and nothing leaves this machine. Of a public corpus, give the file that you have downloaded.`

const SETS: readonly (readonly [CorpusName, string])[] = [
  ['development', 'The set the rules were written with'],
  ['held-out', 'The set that was held out'],
]

/** Throws an Error that says what is wrong with the arguments or the file. */
export function runInjectionEval(args: readonly string[]): void {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  })
  const [path, ...more] = positionals
  if (values.help === true) console.log(HELP)
  else if (more.length > 0) throw new Error('Give one file at a time.')
  else if (path !== undefined) console.log(reportInjections(path, measureInjections(readLabelledTexts(path))))
  else console.log(SETS.map(([name, title]) => reportSet(name, title)).join('\n\n'))
}

const reportSet = (name: CorpusName, title: string): string =>
  reportInjections(`${title}, of ${countWordings(name)} wordings`, measureInjections(createCorpus(name)))
