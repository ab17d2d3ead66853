// The tools, the place and the words that every Node program uses.
import { z } from 'zod'

export const WeatherInput = z.object({ city: z.string() })
export const TimeInput = z.object({ city: z.string() })

/** What a caller's own type looks like: a choice, a list, something nested and something that may be missing. */
export const Place = z.object({
  name: z.string().describe('What people call it'),
  country: z.enum(['Ireland', 'Portugal']),
  population: z.number().int().nullable(),
  streets: z.array(z.object({ name: z.string(), isLong: z.boolean() })),
})

type City = { readonly city: string }

export const weather = (called: string[], { city }: City): string => {
  called.push(`get_weather ${city}`)
  return 'Rain.'
}
export const time = (called: string[], { city }: City): string => {
  called.push(`get_time ${city}`)
  return 'Noon.'
}

export const WEATHER_DESCRIPTION = 'The weather in a city'
export const TIME_DESCRIPTION = 'The time in a city'
/** In the order of the calls, with the emulator's city: both at once, then one in the next turn. */
export const EXPECTED_CALLS = 'get_time emulator,get_weather emulator,get_time emulator'
export const inOrder = (called: readonly string[]): string =>
  [...called.slice(0, 2).toSorted(), ...called.slice(2)].join(',')
