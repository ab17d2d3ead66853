// What the bytes of an export tell: which section it has come to, and whether it is whole.
import { SECTIONS, type Format, type Section } from '../../../management/export/sections.policy.ts'

/** In JSON a section begins a line with its name; in a table of all sections each row does. */
const BEGINS = new RegExp(`^(?:"(${SECTIONS.join('|')})":|(${SECTIONS.join('|')}),)`, 'gm')

/** Takes the bytes one part after the other, and says the section that they have come to; null before the first. */
export function followSections(): (part: Uint8Array) => Section | null {
  const decoder = new TextDecoder()
  let line = ''
  let section: Section | null = null
  return (part) => {
    const text = line + decoder.decode(part, { stream: true })
    const last = [...text.matchAll(BEGINS)].at(-1)
    const name = last?.[1] ?? last?.[2]
    section = SECTIONS.find((one) => one === name) ?? section
    // A name can be cut by the end of a part: the line that it stands in is looked at again, as far as a name can reach.
    line = text.slice(text.lastIndexOf('\n') + 1).slice(0, LONGEST_BEGINNING)
    return section
  }
}

const LONGEST_BEGINNING = 32
const END_BYTES = 512

/** `whole`; `incomplete`: it says itself that something is missing; `broken_off`: it has no end. */
export type Ending = 'whole' | 'incomplete' | 'broken_off'

/** @param section null: all of them in one file */
export async function endingOf(file: Blob, format: Format, section: Section | null): Promise<Ending> {
  const end = (await file.slice(-END_BYTES).text()).trimEnd()
  if (format === 'json') {
    if (end.endsWith('"complete":true}')) return 'whole'
    return end.endsWith('"complete":false}') ? 'incomplete' : 'broken_off'
  }
  const last = end.slice(end.lastIndexOf('\n') + 1)
  if (section === null) {
    if (/^export,.*,complete,true$/.test(last)) return 'whole'
    return /^export,.*,complete,false$/.test(last) ? 'incomplete' : 'broken_off'
  }
  if (/^complete,\d+/.test(last)) return 'whole'
  return /^incomplete,\d+/.test(last) ? 'incomplete' : 'broken_off'
}
