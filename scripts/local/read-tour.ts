// Reads the topics of npm run tour: the commands of the quick starts and guides, each with the words before it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DOCUMENT_GROUPS, QUICK_STARTS } from '../pages/published-documents.ts'

const DOCUMENTS = join(import.meta.dirname, '../../docs')

/** A document's commands. `text`: what is printed. `needsYear`: they need `npm start -- --demo`. */
export type TourTopic = {
  name: string
  sentence: string
  text: string
  commands: readonly string[]
  needsYear: boolean
}

/** Guides for operators are about deployments. */
const GROUPS = DOCUMENT_GROUPS.filter(
  (group) => group === QUICK_STARTS || (group.reader !== undefined && group.reader !== 'operator'),
)

/** Returns the topics in the order of the documents. */
export const readTour = (): TourTopic[] =>
  GROUPS.flatMap(({ documents }) => documents).flatMap(({ name, sentence }) => {
    const steps = stepsOf(readFileSync(join(DOCUMENTS, `${name}.md`), 'utf8'))
    if (steps.length === 0) return []
    const commands = steps.map(({ command }) => command)
    const text = steps.map(({ before, command }) => [before, command].filter(Boolean).join('\n\n')).join('\n\n')
    return [{ name, sentence, text, commands, needsYear: commands.some((command) => command.includes('$DEMO_')) }]
  })

/** Matches a block of commands with the paragraph or heading before it, if no other block is in between. */
const STEP = /(?:(?<=\n\n)((?!```)[^|\n][^\n]*(?:\n(?!```)[^\n]+)*)\n\n)?```sh\n([^]*?)\n```/g

/** Lines that start the service and set the variables: npm start says them. */
const NOT_SHOWN = /^(?:npm start|\. \.wrangler\/state\/env).*\n*/gm

const stepsOf = (markdown: string): { before: string; command: string }[] =>
  Array.from(markdown.matchAll(STEP), ([, before = '', command = '']) => ({
    before: plain(before),
    command: command.replaceAll(NOT_SHOWN, ''),
  })).filter(({ command }) => command !== '')

/** Returns the text without links and marks, as a terminal shows it. */
const plain = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/`([^`]+)`/g, '$1')
    .replaceAll(/\*\*|^#+ /gm, '')
