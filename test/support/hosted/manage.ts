/** Ways to the account page. */
import { addSecuredPerson, type Secured } from './secured-person.js';
import { Visitor } from './visitor.js';

/** Comes to a part of the account page. @returns the address */
export async function manage(visitor: Visitor, part = ''): Promise<string> {
  const address = await visitor.world.addPerson('ada');
  await visitor.open(`/ui/account${part}`);
  await visitor.signIn(address);
  return address;
}

/** Another tab signs in with another account, after which forms of this one are outdated. */
export async function signInElsewhere({ page, world }: Visitor): Promise<void> {
  const other = new Visitor(await page.context().newPage(), world);
  await other.begin('sign-in', { prompt: 'login' });
  await other.signIn(await world.addPerson('grace'));
  await other.page.close();
}

/** The same with a second factor of every kind. */
export async function manageSecured(visitor: Visitor, part: string): Promise<Secured> {
  const person = await addSecuredPerson(visitor.world);
  await visitor.open(`/ui/account${part}`);
  await visitor.signIn(person.address);
  await visitor.enterCode(person.nextAppCode());
  return person;
}
