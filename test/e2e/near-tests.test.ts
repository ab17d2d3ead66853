// `npm run test:near`: a path leads to the right tests.
import { describe, expect, it } from 'vitest'
import { testsNear } from '../../scripts/test/near.ts'

const TESTS = [
  'test/architecture/api.test.ts',
  'test/browser/keys.test.ts',
  'test/e2e/eval.test.ts',
  'test/e2e/start.release.test.ts',
  'test/unit/daily-upkeep.worker.test.ts',
  'test/unit/gateway/call/admit-call.worker.test.ts',
  'test/unit/gateway/call/settle-call.worker.release.test.ts',
  'test/unit/gateway/read.test.ts',
  'test/unit/tiles/check-tiles.worker.release.test.ts',
]

describe('the tests near', () => {
  it.each([
    [
      'a file of src: those of its folder',
      './src/gateway/call/admit-call.ts',
      ['test/unit/gateway/call/admit-call.worker.test.ts'],
    ],
    [
      'a folder of src: those in the same folder',
      'src\\gateway\\call\\',
      ['test/unit/gateway/call/admit-call.worker.test.ts'],
    ],
    [
      'a folder that has none: those of the next above it',
      'src/gateway/none/deeper/x.ts',
      ['test/unit/gateway/call/admit-call.worker.test.ts', 'test/unit/gateway/read.test.ts'],
    ],
    [
      'a folder that has slow ones only: those',
      'src/tiles/check-tiles.ts',
      ['test/unit/tiles/check-tiles.worker.release.test.ts'],
    ],
    [
      'a file that is in no folder: those of its name',
      'src/daily-upkeep.ts',
      ['test/unit/daily-upkeep.worker.test.ts'],
    ],
    ['a command: those of its name', 'scripts/eval/pii.ts', ['test/e2e/eval.test.ts']],
    ['the document', 'scripts/document/api-facts.ts', ['test/architecture/api.test.ts']],
    ['a slow test: itself', 'test/e2e/start.release.test.ts', ['test/e2e/start.release.test.ts']],
    [
      'what a test needs: those beside it',
      'test/unit/tiles/opened-tiles.ts',
      ['test/unit/tiles/check-tiles.worker.release.test.ts'],
    ],
    ['a folder of tests', 'test/browser', ['test/browser/keys.test.ts']],
  ])('%s', (_, path, near) => {
    expect(testsNear(path, TESTS)).toEqual(near)
  })

  it.each([
    'README.md',
    'data/models.json',
    'src/app.ts',
    'src/unknown/x.ts',
    'test/fixtures/x.json',
    'scripts/bench.ts',
  ])('%s: none', (path) => {
    expect(testsNear(path, TESTS)).toEqual([])
  })
})
