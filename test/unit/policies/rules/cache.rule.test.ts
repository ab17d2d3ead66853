import { describe, expect, it } from 'vitest'
import { CacheSchema, cacheTtlMs } from '../../../../src/policies/rules/cache.rule.ts'

const PLAIN = { stream: false, tools: 0, temperature: null, choices: 1, redacted: 0 }

describe('whether an answer may be given again', () => {
  it('is for the policy to say, and for how long', () => {
    expect(cacheTtlMs(undefined, PLAIN)).toBeNull()
    expect(cacheTtlMs({ ttl_seconds: 60 }, PLAIN)).toBe(60_000)
  })

  it.each([
    ['a temperature of 0', { temperature: 0 }, true, true],
    ['a temperature above 0', { temperature: 0.01 }, false, true],
    ['tools', { tools: 1 }, true, true],
    ['a stream', { stream: true }, true, true],
    ['a stream with tools', { stream: true, tools: 1 }, false, true],
    ['several choices', { choices: 2 }, false, false],
    ['values that were taken out', { redacted: 1 }, false, false],
  ])('of a request with %s', (_, facts, may, mayIfAsked) => {
    const asked = { ttl_seconds: 60, with_temperature: true, with_stream_tools: true }
    const ttls = [{ ttl_seconds: 60 }, asked].map((rule) => cacheTtlMs(rule, { ...PLAIN, ...facts }))
    expect(ttls).toEqual([may, mayIfAsked].map((given) => (given ? 60_000 : null)))
  })

  it('asks for each of the two by its own member', () => {
    expect(cacheTtlMs({ ttl_seconds: 60, with_stream_tools: true }, { ...PLAIN, temperature: 1 })).toBeNull()
    const rule = { ttl_seconds: 60, with_temperature: true }
    expect(cacheTtlMs(rule, { ...PLAIN, stream: true, tools: 1 })).toBeNull()
  })

  it.each([
    [1, true],
    [2_592_000, true],
    [0, false],
    [2_592_001, false],
    [1.5, false],
  ])('is taken for %s seconds: %s', (seconds, taken) => {
    expect(CacheSchema().safeParse({ ttl_seconds: seconds }).success).toBe(taken)
  })
})
