// The invented sample: where it is, what is said of its source, and its publication where nothing is served yet.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { publishDataset } from '../src/referral/waiting-lists/publish-dataset.ts'
import type { FileToPublish } from '../src/referral/waiting-lists/plan-publication.ts'
import type { WaitingListStore } from '../src/referral/waiting-lists/waiting-lists.store.ts'

const SAMPLE_PUBLISHED_ON = '2026-10-09'

export const SAMPLE_PATH = join(import.meta.dirname, '../data/sample/invented-outpatients.csv')

export const SAMPLE_SOURCE: FileToPublish['source'] = {
  publisher: 'Countersign',
  title: 'Invented outpatient figures, for trying this service',
  url: null,
  acknowledgement: 'Invented figures. They describe no real hospital and no real patient.',
}

export async function publishSampleIfEmpty(store: WaitingListStore): Promise<'published' | 'kept'> {
  const found = await store.findPointer()
  if (found.outcome === 'ok') return 'kept'
  const bytes = await readFile(SAMPLE_PATH)
  // Its date is invented, so a machine whose clock is before it may start all the same.
  const dates = { publishedOn: SAMPLE_PUBLISHED_ON, today: SAMPLE_PUBLISHED_ON }
  const outcome = await publishDataset(store, { bytes, ...dates, source: SAMPLE_SOURCE })
  if (outcome.outcome !== 'published') throw new Error(`The sample cannot be published: ${JSON.stringify(outcome)}`)
  return 'published'
}
