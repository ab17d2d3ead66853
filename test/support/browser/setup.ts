// After each test, whatever it was about: no page did what none may.
import { afterEach, expect } from 'vitest'
import { takeFaults } from './visitor.ts'

afterEach(() => expect(takeFaults()).toEqual([]))
