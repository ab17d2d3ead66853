// Makes the two sets of invented texts for measuring the prompt injection guard, the same in every run. Families and their sizes
// follow public corpora, but no text is from them.
import development from '../../data/eval/injection/development.json' with { type: 'json' }
import heldOut from '../../data/eval/injection/held-out.json' with { type: 'json' }
import { createRandom, type Random } from '../seeded-random.ts'
import { disguise, ENCODINGS, NOISES, scrambleWords } from './injection-disguises.ts'

/** Texts by family, each with a placeholder for an attack's goal or a harmless text's topic. */
type Wordings = Readonly<Record<string, readonly string[]>>

export type LabelledText = {
  text: string
  label: 'attack' | 'benign'
  family: string
  /** The author of the text: a tool's result or a user. */
  role: 'user' | 'tool'
}

export type CorpusName = 'development' | 'held-out'

/** Families without wordings of their own disguise those of `direct_override`. */
const ATTACK_SIZES: Readonly<Record<string, number>> = {
  direct_override: 70,
  indirect_context: 55,
  encoding_obfuscation: 40,
  jailbreak_persona: 40,
  best_of_n: 35,
  html_markdown: 30,
  agent_tool: 30,
  prompt_exfiltration: 30,
  role_forgery: 30,
  typoglycemia: 25,
  persistent: 15,
}

const BENIGN_SIZES: Readonly<Record<string, number>> = {
  common_query: 140,
  technique: 70,
  letter: 48,
  code: 42,
  quoting: 40,
  virtual_creation: 40,
  other_language: 20,
}

const DISGUISED: Readonly<Record<string, readonly ((text: string, random: Random) => string)[]>> = {
  encoding_obfuscation: ENCODINGS,
  best_of_n: NOISES,
  typoglycemia: [scrambleWords],
}

/** Documents and tool results that contain an attack. */
const CARRIERS = [
  '{"title": "TITLE", "snippet": "Opening hours 9 to 5. ATTACK Closed on Sundays."}',
  'From: office@ballyrane.example\nSubject: TITLE\n\nGood morning,\nthe figures are below. ATTACK\nRegards, Una',
  '<article><h1>TITLE</h1><p>It rained for most of June.</p><p>ATTACK</p><p>July was dry.</p></article>',
  'TITLE\n\n1. Attendance was good.\n2. ATTACK\n3. The next meeting is on the ninth.',
  'product,review\nkettle,"Boils quickly. ATTACK Good value."\ntoaster,"TITLE"',
]

/** A user writes one of these before every second attack. */
const QUESTIONS = ['Which river flows through Athlone? ', 'Translate “good evening” into Irish. ', 'Sum up: TITLE. ']

const FROM_TOOLS = new Set(['indirect_context', 'agent_tool', 'html_markdown'])

/** `goals` and `topics` replace GOAL and TOPIC in the wordings. */
type Source = { attacks: Wordings; benign: Wordings; goals: readonly string[]; topics: readonly string[] }

/** The texts of the sets. Nobody looked at the held-out texts while the rules were written. */
const SOURCES: Readonly<Record<CorpusName, Source & { seed: number }>> = {
  development: { ...development, seed: 1 },
  'held-out': { ...heldOut, seed: 2 },
}

export function createCorpus(name: CorpusName): LabelledText[] {
  const source = SOURCES[name]
  const random = createRandom(source.seed)
  const attacks = Object.entries(ATTACK_SIZES).flatMap(([family, size]) =>
    Array.from({ length: size }, (_, index) => writeAttack(source, family, index, random)),
  )
  const benign = Object.entries(BENIGN_SIZES).flatMap(([family, size]) =>
    Array.from({ length: size }, (_, index): LabelledText => {
      const text = pick(source.benign[family] ?? [], index).replaceAll('TOPIC', () => random.choose(source.topics))
      return { text, label: 'benign', family, role: index % 4 === 3 ? 'tool' : 'user' }
    }),
  )
  return [...attacks, ...benign]
}

/** The number of wordings in a set. Texts of one wording are not independent. */
export const countWordings = (name: CorpusName): number =>
  Object.values({ ...SOURCES[name].attacks, ...SOURCES[name].benign }).reduce((sum, { length }) => sum + length, 0)

function writeAttack({ attacks, goals, topics }: Source, family: string, index: number, random: Random): LabelledText {
  const wordings = attacks[family] ?? attacks['direct_override'] ?? []
  const plain = pick(wordings, index).replaceAll('GOAL', () => random.choose(goals))
  const attack = disguise(DISGUISED[family] ?? [], plain, index, random)
  const title = random.choose(topics)
  if (FROM_TOOLS.has(family)) {
    const carrier = pick(CARRIERS, index).replace('TITLE', title)
    return { text: carrier.replace('ATTACK', () => attack), label: 'attack', family, role: 'tool' }
  }
  const question = index % 2 === 0 ? '' : random.choose(QUESTIONS).replace('TITLE', title)
  return { text: question + attack, label: 'attack', family, role: 'user' }
}

const pick = (texts: readonly string[], index: number): string => texts[index % texts.length] ?? ''
