// The link of an invitation: opened by somebody new, by whoever has an account, and by somebody else.
import { describe, it } from 'vitest'
import { signIn } from '../support/browser/acts.ts'
import { ownerOn, pageOf } from '../support/browser/browser.ts'
import { invited, newEmail, newPerson } from '../support/browser/people.ts'
import type { Person } from '../support/browser/service.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const PASSWORD = 'a wet morning in late november'

const owner = (): Person => ownerOn('pro')

describe('an invitation', () => {
  it('makes somebody new a member, and says what the role may do', async () => {
    const email = newEmail()
    const link = await invited(owner(), email, 'clinician')
    const page = await pageOf(null, { provoked: refusedWith(400) })
    await page.goto(link)
    await page.getByLabel('Your name').fill('Dr Mary')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Make an account and join' }).click()
    await page.getByRole('heading', { name: 'You are a member' }).waitFor()
    await page.getByText('as a clinician. Approves requests').waitFor()
    await page.getByRole('link', { name: 'Go to the dashboard' }).click()
    await page.waitForURL('**/app?org=org_*')

    // It worked once.
    await page.goto(link)
    await page.getByRole('button', { name: 'Join the organisation' }).click()
    await page.getByRole('alert').getByText('This invitation was used').waitFor()
  })

  it('takes somebody with an account in once they have signed in there', async () => {
    const person = await newPerson()
    const link = await invited(owner(), person.email, 'auditor')
    const page = await pageOf(null, { provoked: refusedWith(409) })
    await page.goto(link)
    await page.getByLabel('Your name').fill('Somebody')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Make an account and join' }).click()
    await page.getByRole('alert').getByText('has an account already').waitFor()

    await page.getByRole('radio', { name: 'I have an account' }).check()
    await signIn(page, person)
    await page.getByText('as an auditor.').waitFor()
  })

  it('is not for another account, which can sign out there and go on', async () => {
    const link = await invited(owner(), newEmail(), 'developer')
    const page = await pageOf(null, { provoked: refusedWith(400, 409) })
    const other = await newPerson('Another One')
    await page.goto('/sign-in')
    await signIn(page, other)
    await page.waitForURL('**/app')
    await page.getByText('You are in no organisation yet').waitFor()

    await page.goto(link)
    await page.getByRole('button', { name: 'Join the organisation' }).click()
    await page.getByRole('alert').getByText('is for another account than yours').waitFor()
    await page.getByRole('button', { name: 'Sign out, and join with another account' }).click()
    await page.getByRole('radio', { name: 'I am new here' }).waitFor()
  })
})

describe('an invitation that is opened by somebody whose session changes meanwhile', () => {
  it('asks who they are once the session is over, and who signs in wrongly can sign out again', async () => {
    const link = await invited(owner(), newEmail(), 'auditor')
    const other = await newPerson('Another One')
    const page = await pageOf(null, { provoked: refusedWith(400, 409) })
    await page.goto(link)
    await page.getByRole('radio', { name: 'I have an account' }).check()
    await signIn(page, other)
    await page.getByRole('alert').getByText('is for another account than yours').waitFor()
    await page.getByRole('button', { name: 'Sign out, and join with another account' }).waitFor()

    // In another tab.
    await page.evaluate("fetch('/api/auth/logout', { method: 'POST' })")
    await page.getByRole('button', { name: 'Join the organisation' }).click()
    await page.getByRole('radio', { name: 'I am new here' }).waitFor()
  })
})
