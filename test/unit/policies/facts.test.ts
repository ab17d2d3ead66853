// The facts of a call as the log has them, and as a simulation reads them there.
import { expect, it } from 'vitest'
import * as z from 'zod'
import { loggedFacts, readFacts, writeFacts, type RuleFacts } from '../../../src/policies/facts.ts'
import { PLAIN_TEXT } from '../../fixtures/plain-text.ts'

const BARE: RuleFacts = {
  keyId: 'key_1',
  model: 'sonar',
  useCase: null,
  content: PLAIN_TEXT,
  findings: { pii_scan: {}, pii_fixed: {}, prompt_injection_guard: [] },
  regions: ['any'],
  regionLimit: 'any',
}

const FULL: RuleFacts = {
  keyId: 'key_1',
  model: 'sonar',
  useCase: 'triage-notes',
  content: { bytes: 900, characters: 0, texts: 0, images: 1, files: 2, tools: 3 },
  findings: { pii_scan: { iban: 2 }, pii_fixed: { date: 1 }, prompt_injection_guard: ['hidden_text'] },
  regions: ['eu', 'any'],
  regionLimit: 'eea_ch',
}

it.each([BARE, FULL])('are read as they were written', (facts) => {
  const logged = z.object(loggedFacts()).parse(JSON.parse(JSON.stringify(writeFacts(facts))))
  expect(readFacts(logged, facts.model)).toEqual(facts)
})

it('are written only as far as the call has them', () => {
  expect(Object.keys(writeFacts(BARE))).toEqual(['key_id', 'use_case', 'content_kinds', 'bytes', 'text_characters'])
})
