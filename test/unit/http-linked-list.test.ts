import { LinkedList, type ListNode } from '../../src/server/http/linked-list.js';
import { chooseSeed, openRandom } from '../support/long-form.js';
import { t } from '../support/tap.js';

class Member implements ListNode<Member> {
  previous: Member | null = null;
  next: Member | null = null;
  isListed = false;
}

t.test('a list keeps the order of insertion when members are removed', async (t) => {
  const { int } = openRandom(chooseSeed(t));
  const list = new LinkedList<Member>();
  const expected: Member[] = [];
  for (let step = 0; step < 5000; step++) {
    if (int(100) < (step % 1000 < 500 ? 60 : 40)) {
      const member = new Member();
      list.append(member);
      expected.push(member);
    } else if (expected.length > 0) {
      const [member] = expected.splice(int(expected.length), 1);
      if (!list.remove(member!)) t.fail('the member was listed');
      if (member!.previous !== null || member!.next !== null || member!.isListed)
        t.fail('a removed member has no links');
    }
    if (list.length !== expected.length) t.equal(list.length, expected.length);
  }
  const listed = [...list];
  t.equal(listed.length, expected.length);
  t.ok(
    listed.every((member, place) => member === expected[place]),
    'in order',
  );
});

t.test('a removed member is no longer listed', async (t) => {
  const list = new LinkedList<Member>();
  const [first, second, third] = [new Member(), new Member(), new Member()];
  t.notOk(list.remove(first), 'nor before it was appended');
  for (const member of [first, second, third]) list.append(member);
  const seen: Member[] = [];
  for (const member of list) {
    seen.push(member);
    list.remove(member);
  }
  t.same(seen.length, 3, 'all were visited while they were removed');
  t.equal(list.length, 0);
  t.same([...list], []);
  t.notOk(list.remove(second));
  list.append(second);
  t.ok([...list][0] === second, 'a member may be appended again');
});
