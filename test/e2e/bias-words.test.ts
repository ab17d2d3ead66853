// No answer of bias detection, and no page about it, claims more than the method shows.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CANNOT_SHOW } from '../../src/management/bias/bias.schema.ts'

/** The places whose words reach whoever reads an answer, the document of the API, or the page. */
const SPOKEN = [
  'src/management/bias/bias.schema.ts',
  'src/management/bias/bias.routes.ts',
  'src/management/bias/present-bias.ts',
  'src/organisation/bias/bias-measures.ts',
  'docs/compare-groups.md',
]

const CLAIMS =
  /\b(un)?fair(ly|ness)?\b|\bunbiased\b|\bbias(es)?[- ]free\b|\bno bias\b|\bbiased\b|\bdiscriminat\w+|\bproo(f|ves?)\b|\bguarantee\w*|\bcomplian(t|ce with)\b|\bcertif\w+|\bequal treatment\b/gi

const oneLine = (text: string): string => text.replaceAll(/\n> ?/g, ' ').replaceAll(/\s+/g, ' ')

describe('the words about bias', () => {
  it('say first what is compared and what a difference, or none, is not', () => {
    expect(CANNOT_SHOW).toBe(
      'This compares how calls were served, not what the answers said. A difference is a reason to look, not a finding of discrimination; no difference is not proof of fairness.',
    )
    expect(oneLine(readFileSync('docs/compare-groups.md', 'utf8')).indexOf(CANNOT_SHOW)).toBeGreaterThan(0)
  })

  it.each(SPOKEN)('of %s claim nothing beyond that sentence', (path) => {
    const rest = oneLine(readFileSync(path, 'utf8')).replaceAll(CANNOT_SHOW, '')
    expect(rest.match(CLAIMS)).toBeNull()
  })

  it('call the usual verdict what it is', () => {
    for (const path of ['src/management/bias/bias.schema.ts', 'docs/compare-groups.md']) {
      expect(oneLine(readFileSync(path, 'utf8'))).toContain('no difference shown, and none excluded')
    }
  })
})
