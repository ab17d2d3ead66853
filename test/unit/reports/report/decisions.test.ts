// What a report asks people to decide, and the risks that it names: of failing controls alone, the heaviest first.
import { describe, expect, it } from 'vitest'
import { rolesWith } from '../../../../src/accounts/access/roles.policy.ts'
import { CONTROLS } from '../../../../src/reports/controls/checklist.ts'
import { decisionsOf, risksOf } from '../../../../src/reports/report/decisions.ts'
import type { Control } from '../../../../src/reports/report/report.schema.ts'
import { sampleReport } from '../../../support/pdf/sample-reports.ts'

const MADE_AT = '2026-11-21T23:59:59.000Z'

/** The sample's controls: those named fail with the values given, all others pass. */
const failing = (values: Readonly<Record<string, Control['evidence']['values']>>): Control[] =>
  sampleReport().controls.map((control) => changed(control, values[control.id]))

const changed = (control: Control, values: Control['evidence']['values'] | undefined): Control =>
  values === undefined
    ? { ...control, state: 'pass' }
    : { ...control, state: 'fail', evidence: { ...control.evidence, values } }

const namesOf = (list: readonly { control: string }[]): string[] => list.map(({ control }) => control)

describe('decisions', () => {
  it('are due 7, 30 or 90 days after the day of the report, by weight', () => {
    const decisions = decisionsOf(failing({ L8: {}, P3: {}, D1: {} }), MADE_AT)
    expect(decisions.map(({ control, by }) => [control, by])).toEqual([
      ['D1', '2026-11-28'],
      ['P3', '2026-12-21'],
      ['L8', '2027-02-19'],
    ])
  })

  it('name those who may act: the operator for the record, those who decide approvals for their time', () => {
    const who = new Map(decisionsOf(failing({ L1: {}, H4: {}, P3: {} }), MADE_AT).map((one) => [one.control, one.who]))
    expect(who.get('L1')).toEqual(['operator'])
    expect(who.get('H4')).toEqual(rolesWith('approvals:decide'))
    expect(who.get('P3')).toEqual(rolesWith('policies:change').filter((one) => one !== 'key'))
  })

  it('are five, and leave out no open finding for a heavier control', () => {
    const heavy = { L1: {}, L2: {}, L3: {}, L5: {}, K1: {}, P1: {} }
    const decisions = decisionsOf(failing({ ...heavy, M2: { found: 3, unexplained: 2 } }), MADE_AT)
    expect(namesOf(decisions)).toEqual(['L1', 'L2', 'L3', 'L5', 'M2'])
    expect(decisions.at(-1)?.what).toBe(
      'End the cause of 2 differences between groups. An explanation does not make it pass.',
    )
  })

  it('are none where a failure is explained or nothing fails', () => {
    const stated = failing({ M1: {} })
    for (const control of stated) if (control.state === 'fail') control.state = 'stated'
    expect([decisionsOf(stated, MADE_AT), risksOf(stated)]).toEqual([[], []])
  })
})

describe('risks', () => {
  it('are the three heaviest, and of one weight those in which most fails', () => {
    const controls = failing({
      K2: { keys: 10, endless: 1, idle: 0 },
      K4: { members: 4, none: 3 },
      P3: { requests: 100, with_use_case: 50 },
      D1: { routed_eu: 3, routed_eea_ch: 0, routed_elsewhere: 3 },
      L8: { completed: 10, estimated: 10 },
    })
    expect(namesOf(risksOf(controls))).toEqual(['D1', 'K4', 'P3'])
  })

  it('say the figure that shows it, and count names that the evidence only counts', () => {
    const controls = failing({
      P3: { requests: 22_310, with_use_case: 20_012 },
      M3: { marked: 30, without_receipt: ['incident:tr_1', 'and 24 more'] },
    })
    expect(risksOf(controls).map(({ text }) => text)).toEqual([
      '2,298 of 22,310 calls declared no use case. Nobody can tell their purpose, and rules for a use case miss them.',
      '25 of 30 incidents lead to no record. Their calls cannot be examined.',
    ])
  })

  it.each(CONTROLS.filter(({ weight }) => weight > 0).map(({ id }) => id))(
    'and decisions have words for %s, which claim no broken law',
    (id) => {
      const controls = failing({ [id]: {} })
      const [text = '', what = ''] = [risksOf(controls)[0]?.text, decisionsOf(controls, MADE_AT)[0]?.what]
      for (const said of [text, what]) {
        expect(said).toMatch(/^[A-Z0-9].*\.$/)
        expect(said).not.toMatch(/undefined|NaN|null|\b(?:law|illegal|breach|violat|comply|compliant)/i)
      }
      expect(text.split(/(?<=\.) /).length).toBeLessThanOrEqual(2)
    },
  )
})
