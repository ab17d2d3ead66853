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
  ['which actions are refused', 'read-letters#what-is-refused'],
  ['which actions does the service refuse', 'read-letters#what-is-refused'],
  ['null age group', 'read-letters#what-comes-out'],
  ['how long does a reading take', 'read-letters#how-long-it-takes-and-repeats'],
  ['reader time limit', 'read-letters#how-long-it-takes-and-repeats'],
  ['can I send the same letter twice', 'read-letters#how-long-it-takes-and-repeats'],
  ['repeat a reading', 'read-letters#how-long-it-takes-and-repeats'],
  ['get a live key', 'read-letters#go-live'],
  ['go live', 'read-letters#go-live'],
  ['where does a letter go', 'data#a-letter'],
  ['who receives the letter', 'data#a-letter'],
  ['what is stored of a letter', 'data#a-letter'],
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
