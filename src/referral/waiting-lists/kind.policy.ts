// Decides what a file counts. The publisher's outpatient and inpatient files by specialty have the same columns, so the file's
// names matter too. If nothing tells, the operator must say.
import { DATASET_KINDS, type DatasetKind, type Layout } from './dataset.ts'

export type KindCheck = { ok: true; kind: DatasetKind } | { ok: false; reason: string }

/**
 * @param declared the operator's statement
 * @param names the file's own name, its title and its address
 */
export function decideKind({
  declared,
  layout,
  names,
}: {
  declared: DatasetKind | undefined
  layout: Layout
  names: readonly string[]
}): KindCheck {
  const signs = [...new Set(names.flatMap(signsOf))]
  const [sign] = signs
  if (signs.length > 1)
    return no(`The file's name, title and address speak of different figures (${signs.join(', ')}).`)
  if (declared !== undefined && sign !== undefined && declared !== sign) {
    return no(`The kind given is ${declared}, but the file's name, title or address says ${sign}.`)
  }
  const kind = declared ?? sign ?? (layout === 'long' ? 'outpatient' : undefined)
  if (kind === undefined) return no(`${UNTOLD[layout]} Say what it counts: --kind ${DATASET_KINDS.join(' or ')}.`)
  if (layout === 'long' && kind !== 'outpatient') {
    return no(`The file has no column for the case type, which the publisher's long ${kind} files have.`)
  }
  if (layout === 'long_case_type' && kind === 'outpatient') {
    return no("The file has a column for the case type, which none of the publisher's outpatient files has.")
  }
  if (kind !== 'outpatient' && declared === undefined) {
    return no(`The file's name, title or address says that it counts ${kind}. To serve that, say --kind ${kind}.`)
  }
  return { ok: true, kind }
}

const UNTOLD: Record<Layout, string> = {
  long: '',
  long_case_type: "The file has a column for the case type, as the publisher's inpatient and endoscopy files have.",
  wide_specialty:
    "The publisher's outpatient and inpatient files by specialty have the same columns, and nothing in the file's name, title or address tells which this is.",
}

const ENDOSCOPY = /endoscop|(?<![a-z])gi(?![a-z])/i
const INPATIENT = /ipdc|in[-_ ]?patient|day[-_ ]?case|(?<![a-z])ip(?![a-z])|(?<![a-z])in_wl/i
const OUTPATIENT = /out[-_ ]?patient|(?<![a-z])op(?![a-z])|opnational/i

/** An endoscopy file is titled "IPDC GI Endoscopy"; that counts as one sign. */
function signsOf(name: string): DatasetKind[] {
  if (ENDOSCOPY.test(name)) return ['gi_endoscopy']
  return [
    ...(INPATIENT.test(name) ? (['inpatient_day_case'] as const) : []),
    ...(OUTPATIENT.test(name) ? (['outpatient'] as const) : []),
  ]
}

const no = (reason: string): KindCheck => ({ ok: false, reason })
