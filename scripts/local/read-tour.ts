// Reads docs/tour.md: each section is a topic of npm run tour.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TOUR = join(import.meta.dirname, '../../docs/tour.md')

/** A part of the tour. `about`: its title after the name. `text`: what is printed, with its commands outside of fences. */
export type TourTopic = { name: string; about: string; text: string; commands: readonly string[]; needsYear: boolean }

/** Ends the title of a topic that needs the organisation of `npm start -- --demo`. */
const OF_YEAR = ' (demo)'

/** Returns the topics in their order: the sections of the document, whose titles are `Name: what it is about`. */
export const readTour = (): TourTopic[] =>
  Array.from(
    readFileSync(TOUR, 'utf8').matchAll(/^## (\w+): (.+)\n([^]*?)(?=\n## |(?![^]))/gm),
    ([, name = '', about = '', body = '']) => ({
      name: name.toLowerCase(),
      about: about.replace(OF_YEAR, ''),
      text: plain(body),
      commands: Array.from(body.matchAll(FENCED), ([, command = '']) => command),
      needsYear: about.endsWith(OF_YEAR),
    }),
  )

const FENCED = /```sh\n([^]*?)\n```/g

/** Returns the text without fences and links, as a terminal shows it. */
const plain = (markdown: string): string =>
  markdown
    .trim()
    .replaceAll(FENCED, '$1')
    .replaceAll(/\[[^\]]+\]\(([^)]+)\)/g, 'docs/$1')
    .replaceAll(/`([^`]+)`/g, '$1')
