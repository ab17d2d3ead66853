// Queries in the words of people, and where the search leads them.
import { expect, it } from 'vitest'
import { makeSearchFile } from '../../scripts/pages/search-index.ts'
import { makeApiDocument } from '../../scripts/pages/worker-files.ts'
import { createSearch } from '../../src/pages/search/search-entries.ts'
import { SYNONYMS } from '../../src/pages/search/search-words.ts'

const search = createSearch(makeSearchFile(await makeApiDocument()))

it.each([
  ['SSO', 'set-up-sign-in'],
  ['second factor', 'set-up-sign-in#second-factors'],
  ['2FA', 'set-up-sign-in'],
  ['sub-processor', 'data#processors'],
  ['who are the processors', 'data#processors'],
  ['upgrade', 'from-day-two#upgrade'],
  ['monitoring', 'check-deployment#health'],
  ['streaming', 'call-models#streams'],
  ['which actions are refused', 'integrate-readings#actions'],
  ['which actions does the service refuse', 'integrate-readings#actions'],
  ['null age group', 'integrate-readings#show-the-answer'],
  ['how long does a reading take', 'integrate-readings#wait-and-retry'],
  ['reader time limit', 'integrate-readings#wait-and-retry'],
  ['can I send the same letter twice', 'integrate-readings#wait-and-retry'],
  ['repeat a reading', 'integrate-readings#wait-and-retry'],
  ['get a live key', 'integrate-readings#go-live'],
  ['go live', 'integrate-readings#go-live'],
  ['where does a letter go', 'data#a-letter'],
  ['who receives the letter', 'data#a-letter'],
  ['what is stored of a letter', 'data#a-letter'],
  ['example client', 'integrate-readings'],
  ['Java client for letters', 'integrate-readings'],
  ['medical device', 'read-letters#purpose'],
  ['is my deployment well', 'check-deployment#health'],
  ['how do I upgrade and go back', 'from-day-two#upgrade'],
  ['backup', 'repair-storage'],
  ['what is backed up', 'from-day-two#back-up-and-restore'],
  ['how do I restore', 'from-day-two#back-up-and-restore'],
  ['restore', 'repair-storage#after-a-restore'],
  ['publish figures', 'publish-figures'],
  ['undo publish', 'publish-figures'],
  ['what was blocked and why', 'start-compliance#what-was-blocked-and-why'],
  ['can a third party check it', 'check-records'],
  ['stream tools python', 'call-models#streams'],
  ['cap costs', 'limits#budgets'],
  ['latency', 'call-models#what-the-service-adds-to-the-time'],
  ['server-timing', 'headers#responses'],
  ['anonymise', 'block-personal-data#redact'],
  ['GDPR', 'block-personal-data'],
  ['billing', 'see-usage'],
  ['throttling', 'limits'],
  ['delete my account', 'erase-data#your-own-account'],
  ['delete a token', 'rotate-keys'],
  ['caching', 'cache-answers#what-a-cached-answer-is'],
  ['login', 'start-owner#sign-in'],
])('%s: /docs/%s is among the first five', (query, place) => {
  expect(search.find(query).documents.map(({ href }) => href.slice('/docs/'.length))).toContain(place)
})

it('finds a document by each word that has others for it, and by each of those', () => {
  const words = SYNONYMS.flatMap(([found, typed]) => found.concat(typed.split(' ')))
  expect(words.filter((word) => search.find(word).documents.length === 0)).toEqual([])
})

it.each([
  ['attestaton', 'attestation'],
  ['webhoks', 'webhook'],
  ['polcy', 'policy'],
  ['budegt', 'budget'],
  ['rotate a keyz', 'rotate a key'],
  ['rotat kye', 'rotat key'],
  ['policy', null],
  ['xylophonist', null],
  ['xylophonist polcy', null],
  ['key_0198f3a0-5b7e-7c41-9d1f', null],
])('has for %s as the nearest: %s', (typed, nearest) => {
  expect(search.correct(typed)).toBe(nearest)
})

it('finds an operation by its name or path, and by what else it has only where that is typed as a code', () => {
  const operations = (query: string) =>
    search.find(query).operations.map(({ href }) => href.slice('/reference/'.length))
  expect(operations('list keys')[0]).toBe('listKeys')
  expect(operations('budget')).toEqual([])
  expect(operations('identifier_found')).toContain('readReferral')
})

it.each(['xylophonist', 'key_0198f3a0-5b7e-7c41-9d1e'])('finds nothing for what is nowhere: %s', (query) => {
  expect(search.find(query)).toEqual({ documents: [], operations: [] })
})
