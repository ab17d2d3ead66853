// A schema is made when it is first used, and then behaves as zod's own.
import * as zod from 'zod'
import { describe, expect, it } from 'vitest'
import { checkBySchema } from '../../../src/platform/check-by-schema.ts'
import { AppError } from '../../../src/platform/errors.ts'
import * as z from '../../../src/platform/zod.ts'

/** A schema of each kind, by zod or by the service's own. */
const schemasOf = (made: typeof zod | typeof z): Record<string, zod.ZodType> => {
  const name = made
    .string()
    .min(1)
    .max(9)
    .regex(/^[a-z]+$/, 'expected letters')
  const named = made.strictObject({ name, nick: name.optional().meta({ description: 'Seldom.' }) })
  const aged = named.extend({ age: made.int().nonnegative().nullable() }).meta({ id: 'Aged' })
  return {
    name,
    named,
    aged,
    picked: aged.pick({ age: true }),
    list: made.array(made.union([named, made.literal(['a', 'b']), made.null()])).min(1),
    tuple: made.tuple([made.enum(['x', 'y'])], made.number().positive()),
    kinds: made.discriminatedUnion('kind', [
      made.object({ kind: made.literal('on'), at: made.iso.datetime() }),
      made.looseObject({ kind: made.literal('off') }),
    ]),
    records: made.record(made.string(), made.boolean().default(true)),
    some: made.partialRecord(made.enum(['p', 'q']), made.unknown()),
    text: made
      .string()
      .trim()
      .transform((text) => text.length)
      .pipe(made.int().max(3)),
    numbers: made.coerce.number().refine((number) => number % 2 === 0, 'expected an even number'),
  }
}

const VALUES: readonly unknown[] = [
  [undefined, null, true, 0, 1, -1, 2.5, '', 'a', 'abcdefghijk', 'A', ' abc ', ' abcd '],
  [{}, { name: 'ann' }, { name: 'ann', nick: 7 }, { name: 'ann', age: 3 }, { name: 'ann', age: -1, other: 1 }],
  [[], ['a', null, { name: 'x' }], ['c'], ['x', 1, 2], ['x', 0], { age: null }, { p: 1 }, { r: 1 }, { a: undefined }],
  [{ kind: 'on', at: '2026-11-20T12:00:00Z' }, { kind: 'on', at: 'noon' }, { kind: 'off', more: 1 }, { kind: 'up' }],
].flat()

describe('a schema', () => {
  it.each(Object.keys(schemasOf(zod)))('%s takes and refuses what zod’s does, for the same reasons', (name) => {
    const [ours, own] = [schemasOf(z)[name], schemasOf(zod)[name]]
    for (const value of VALUES) {
      const [found, wanted] = [ours, own].map((schema) => schema && checkBySchema(schema, value, 'body'))
      if (wanted instanceof AppError) expect(found).toMatchObject({ message: wanted.message, details: wanted.details })
      else expect(found).toEqual(wanted)
    }
  })

  it('takes and refuses the same when it is compiled', () => {
    const { named, list, kinds, records, text } = schemasOf(z)
    for (const schema of [named, list, kinds, records, text]) {
      const compiled = z.compile(schema ?? z.never())
      for (const value of VALUES) {
        const [found, wanted] = [compiled, schema].map((one) => one?.safeParse(value))
        expect(found?.data).toEqual(wanted?.data)
        expect(found?.error?.issues).toEqual(wanted?.error?.issues)
      }
    }
  })

  it('of zod itself is not compiled', () => {
    expect(() => z.compile(zod.string())).toThrow('only schemas of this module')
  })

  it('is made once, and not before it is used', () => {
    let made = 0
    const counted = z.string().refine(() => true, { error: () => String((made += 1)) })
    const shape = {
      get name() {
        made += 1
        return counted
      },
    }
    const schema = z.strictObject(shape).extend({ more: z.int() }).nullable()
    expect(made).toBe(0)
    expect(schema.safeParse({ name: 'ann', more: 1 }).success).toBe(true)
    expect(schema.safeParse(null).success).toBe(true)
    expect(made).toBe(1)
  })

  it('keeps its metadata, and zod’s classes know it', () => {
    const { aged, named } = schemasOf(z)
    expect(aged?.meta()).toEqual({ id: 'Aged' })
    expect(named?.meta()).toBeUndefined()
    expect(aged).toBeInstanceOf(zod.ZodObject)
    expect(aged).not.toBeInstanceOf(zod.ZodString)
    expect(zod.array(named ?? zod.never()).safeParse([{ name: 'ann' }, { name: '' }]).error?.issues[0]?.path).toEqual([
      1,
      'name',
    ])
  })

  it('can be part of another that is made first', () => {
    const inner = z.string().max(2)
    const outer = z.strictObject({ inner: inner.optional(), list: z.array(inner) })
    expect(Object.keys(outer.shape)).toEqual(['inner', 'list'])
    expect(outer.safeParse({ list: ['abc'] }).success).toBe(false)
    expect(inner.safeParse('ab').success).toBe(true)
  })
})
