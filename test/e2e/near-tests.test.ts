// `npm run test:near`: a path leads to the right tests.
import { describe, expect, it } from 'vitest'
import { namesOfTests, projectsFor } from '../../scripts/test/near.ts'

const exists = (path: string): boolean => ['test/unit/gateway', 'test/unit/gateway/call'].includes(path)

describe('the tests near', () => {
  it.each([
    ['a file of src: those of its folder', './src/gateway/call/admit-call.ts', 'test/unit/gateway/call/'],
    ['a folder of src: those of the same folder', 'src/gateway/call/', 'test/unit/gateway/call/'],
    ['a folder that has none: those of the next above it', 'src/gateway/none/deeper/x.ts', 'test/unit/gateway/'],
    ['a file that is in no folder: those of its name', 'src/daily-upkeep.ts', 'test/unit/daily-upkeep.'],
    ['a command: those of its name', 'scripts/eval/pii.ts', 'test/e2e/eval'],
    ['a test: itself', 'test/e2e/roles.test.ts', 'test/e2e/roles.test.ts'],
    ['what a test needs: those beside it', 'test/unit/tiles/opened-tiles.ts', 'test/unit/tiles/'],
    ['a folder of tests: all of them', 'test/architecture', 'test/architecture/'],
  ])('%s', (_, path, name) => {
    expect(namesOfTests(path, exists)).toEqual([name])
  })

  it.each(['README.md', 'data/models.json', 'test/fixtures/x.json'])('%s: none', (path) => {
    expect(namesOfTests(path, exists)).toEqual([])
  })
})

it('what runs long and the browser’s run only where they are named', () => {
  expect(projectsFor(['src/gateway'])).toEqual(['unit', 'worker', 'e2e'])
  expect(projectsFor(['test/e2e/start.release.test.ts'])).toContain('release-*')
  expect(projectsFor(['test/browser/front.test.ts'])).toContain('browser')
})
