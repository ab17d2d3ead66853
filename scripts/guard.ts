// npm run guard: shows where your own letters contain identifiers, and how many letters the service would refuse for that. `corpus`
// counts hits in public texts instead.
import { findIdentifiers } from '../src/scanning/identifiers/find-identifiers.ts'
import { runCommand } from './command-line.ts'
import { runCorpus } from './guard/corpus.ts'
import { listFiles, placesOf, readTexts, summarise } from './guard/texts.ts'

const HELP = `Usage: npm run guard -- [FILE|FOLDER …] [options]

Shows where letters contain identifiers that the service refuses, without printing them.

It prints file, line, column and kind of identifier. Nothing leaves this machine. Without a path, or
with -, it reads standard input. In a folder, each file is a letter.

  -q, --quiet   prints only the summary

npm run guard -- corpus FOLDER counts hits by shape, in public texts.

Examples:
  npm run guard -- letter.txt
  npm run guard -- --quiet letters/

Exit codes: 0 nothing found, 1 something found, 2 wrong command line.`

async function find(paths: readonly string[], isQuiet: boolean): Promise<0 | 1> {
  const { files, hasFolder } = await listFiles(paths.length === 0 ? ['-'] : paths)
  let refused = 0
  let read = 0
  for await (const letter of readTexts(files, !isQuiet)) {
    read += 1
    const identifiers = findIdentifiers(letter.text)
    if (identifiers.length > 0) refused += 1
    if (isQuiet) continue
    for (const [at, place] of placesOf(letter, identifiers).entries())
      console.log(`${place}: ${identifiers[at]?.shape}`)
  }
  if (hasFolder || files.length > 1 || isQuiet) console.log(summarise(refused, read))
  else if (refused === 0 && read > 0) console.log('Nothing would be refused.')
  return refused > 0 ? 1 : 0
}

const findInLetters = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    takesArguments: true,
    options: { quiet: { type: 'boolean', short: 'q', default: false } },
    run: ({ values: { quiet }, positionals }) => find(positionals, quiet),
  })

const [subject, ...rest] = process.argv.slice(2)
process.exitCode = await (subject === 'corpus' ? runCorpus(rest) : findInLetters(process.argv.slice(2)))
