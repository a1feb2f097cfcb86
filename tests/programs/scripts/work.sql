-- SPDX-License-Identifier: BSD-3-Clause
create table numbers(n integer primary key, square integer, name text);
with recursive c(n) as (select 1 union all select n + 1 from c where n < 200000)
	insert into numbers select n, n * n, 'name ' || (n * 7919 % 10007) from c;
create index by_name on numbers(name);
select count(*), sum(square), min(name), max(name) from numbers;
select name, count(*) from numbers group by name order by 2 desc, 1 limit 5;
update numbers set square = square + 1 where n % 7 = 0;
delete from numbers where n % 11 = 0;
select sum(square) over (order by n rows 3 preceding) from numbers where n < 20;
vacuum;
