// Queries in the words of people, and where the search leads them.
import { expect, it } from 'vitest'
import { makeSearchFile } from '../../scripts/pages/search-index.ts'
import { makeApiDocument } from '../../scripts/pages/worker-files.ts'
import { createSearch } from '../../src/pages/search/search-entries.ts'

const search = createSearch(makeSearchFile(await makeApiDocument()))

it.each([
  ['SSO', 'set-up-sign-in'],
  ['second factor', 'set-up-sign-in'],
  ['2FA', 'set-up-sign-in'],
  ['sub-processor', 'data#processors'],
  ['who are the processors', 'data#processors'],
  ['upgrade', 'deploy#upgrade-and-go-back'],
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
  ['how do I upgrade and go back', 'deploy#upgrade-and-go-back'],
  ['backup', 'repair-storage'],
  ['what is backed up', 'repair-storage#backups'],
  ['how do I restore', 'repair-storage#backups'],
  ['restore', 'repair-storage#after-a-restore'],
  ['publish figures', 'publish-figures'],
  ['undo publish', 'publish-figures'],
  ['what was blocked and why', 'start-compliance#what-was-blocked-and-why'],
  ['can a third party check it', 'check-records'],
  ['stream tools python', 'call-models#streams'],
  ['cap costs', 'limits#budgets'],
  ['latency', 'call-models#what-the-service-adds-to-the-time'],
  ['server-timing', 'headers#responses'],
])('%s: /docs/%s is among the first five', (query, place) => {
  expect(search(query).documents.map(({ href }) => href.slice('/docs/'.length))).toContain(place)
})

it.each(['xylophonist', 'key_0198f3a0-5b7e-7c41-9d1e'])('finds nothing for what is nowhere: %s', (query) => {
  expect(search(query)).toEqual({ documents: [], operations: [] })
})
