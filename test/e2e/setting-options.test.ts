// The options of `npm run orgs` that are settings: every setting has one, with its own words under it, and is read by its kind.
import { describe, expect, it } from 'vitest'
import { organisations } from '../../scripts/operator/organisations.ts'
import { endOfDay, settingOptions } from '../../scripts/operator/setting-options.ts'
import { settingRows } from '../../src/policies/organisation-settings.ts'
import { PROVIDER_IDS } from '../../src/providers/provider-registry.ts'

const options = settingOptions()

const read = (name: string, text: string): unknown => {
  const option = options.find((one) => one.name === name)
  if (option === undefined) throw new Error(`there is no option ${name}`)
  return option.read(text, name)
}

describe('the options of settings', () => {
  it.each(settingRows())('have %s, with its own words and no others', (_, row) => {
    const words = organisations.help.split(`\n  --${row.option.name} `)[1]?.split('\n  --')[0]
    expect(words?.replace(/\s+/g, ' ')).toContain(row.option.help)
    expect(organisations.options).toContain(row.option.name)
  })

  it.each([
    ['tier', 'default free'],
    ['budget', 'default none'],
    ['rate', 'default none: the tier’s'],
    ['retention', 'default none: the tier’s'],
    ['idempotent-replays', 'default no'],
  ])('say what --%s is without it, in words that the option takes', (name, words) => {
    expect(options.find((one) => one.name === name)?.help).toContain(`(${words})`)
  })

  it.each([
    ['tier', 'pro', 'pro'],
    ['providers', 'none', []],
    ['providers', 'openai, google', ['openai', 'google']],
    ['providers', 'all', PROVIDER_IDS],
    ['rate', 'none', null],
    ['budget', '12.5', 12.5],
    ['max-tokens', '100', 100],
    ['idempotent-replays', 'yes', true],
    ['unsupported', 'refuse', 'refuse'],
    ['content-logging', '30', { retention_days: 30 }],
    ['content-logging', 'none', null],
    ['second-factor-from', 'none', null],
    ['second-factor-from', '2027-02-28T08:00:00Z', '2027-02-28T08:00:00Z'],
  ])('read --%s %s', (name, text, value) => expect(read(name, text)).toEqual(value))

  it.each([
    ['max-tokens', 'many', '--max-tokens needs a whole number from 1 to 1000000.'],
    ['idempotent-replays', 'true', '--idempotent-replays needs yes or no.'],
    ['retention', 'long', '--retention needs a number or none.'],
  ])('do not read --%s %s', (name, text, reason) => expect(() => read(name, text)).toThrow(reason))
})

describe('the end of an auditor’s access', () => {
  it('is the end of the given day, in UTC', () => {
    expect(organisations.options).toContain('ends')
    expect(endOfDay('2027-02-28', 'ends')).toBe('2027-02-28T23:59:59Z')
  })

  it.each(['soon', '2027-2-28', '2027-13-01', '2027-02-28T12:00:00Z'])('is not %s', (text) => {
    expect(() => endOfDay(text, 'ends')).toThrow('--ends needs a day, such as 2027-02-28.')
  })
})
