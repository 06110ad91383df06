create view boat_usage as
select
    b.title,
    count(o.id) as outings,
    coalesce(sum(o.km), 0) as km
from boats b
left join outings o on o.boat_id = b.id
group by b.id, b.title;

create view member_list as
select
    m.id,
    m.full_name,
    m.nickname,
    m.joined,
    count(o.id) as coxed
from members m
left join outings o on o.cox_id = m.id
where m.left_club is null
group by m.id;
