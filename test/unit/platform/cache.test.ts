import { expect, it } from 'vitest'
import { LruCache } from '../../../src/platform/cache.ts'

it('forgets what was not used for longest when it is full', () => {
  const memory = new LruCache<number>(2)
  memory.set('a', 1)
  memory.set('b', 2)
  expect(memory.get('a')).toBe(1)
  memory.set('c', 3)
  expect(memory.get('b')).toBeUndefined()
  expect(memory.get('a')).toBe(1)
  expect(memory.get('c')).toBe(3)
})

it('keeps the newest value of a key without growing', () => {
  const memory = new LruCache<number>(2)
  memory.set('a', 1)
  memory.set('b', 2)
  memory.set('b', 3)
  expect(memory.get('a')).toBe(1)
  expect(memory.get('b')).toBe(3)
})
