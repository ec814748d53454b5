"""Subjects people keep tables of: how to recognise each, its usual columns, and the options its columns take."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from chat.demo.knowledge.kinds import Kind, guess
from chat.demo.language.words import key


@dataclass(frozen=True)
class Domain:
    """One subject. `columns` are names, the first `leading` of them say what a row is; `options` by folded name."""

    id: str
    pattern: str
    name: str
    thing: str
    columns: tuple[str, ...]
    options: dict[str, tuple[str, ...]] = field(default_factory=dict)
    leading: int = 1
    bare: bool = True

    def kind(self, name: str) -> Kind:
        """The kind a column of this subject has."""
        return guess(name, domain_options=self.options)


_JOB_STATUS = ("Applied", "Interview", "Offer", "Rejected")
_LEAD_STATUS = ("New", "Contacted", "Qualified", "Won", "Lost")

DOMAINS: tuple[Domain, ...] = (
    Domain(
        "job_applications", r"\b(job|jobs|career|internship|application|applications|applying|positions i)\b(?!.*\bapplicants?\b)",
        "Job Applications", "application",
        ("Company", "Position", "Status", "Date Applied", "Location", "Salary", "Notes"),
        {"status": _JOB_STATUS, "stage": _JOB_STATUS, "work mode": ("Remote", "Hybrid", "On-site")}, leading=2,
    ),
    Domain(
        "candidates", r"\b(candidates?|applicants?|hiring|recruit\w*|hires)\b", "Candidates", "candidate",
        ("Name", "Email", "Position", "Stage", "Applied On", "Rating", "Notes"),
        {"stage": ("Applied", "Screening", "Interview", "Offer", "Hired", "Rejected"),
         "status": ("Applied", "Screening", "Interview", "Offer", "Hired", "Rejected")},
    ),
    Domain(
        "vendors", r"\b(vendors?|suppliers?|contractors?|providers?)\b", "Vendors", "vendor",
        ("Vendor", "Category", "Contact Person", "Email", "Status", "Contract Renewal", "Annual Cost", "Notes"),
        {"category": ("Software", "Hardware", "Services", "Facilities"), "status": ("Active", "Evaluating", "Inactive")},
    ),
    Domain(
        "bugs", r"\b(bugs?|issues?|defects?|tickets?|incidents?|errors?)\b", "Bugs", "bug",
        ("Title", "Status", "Severity", "Reported By", "Assignee", "Reported On", "Notes"),
        {"status": ("Open", "In progress", "Fixed", "Closed"), "state": ("Open", "In progress", "Fixed", "Closed")},
    ),
    Domain(
        "feedback", r"\b(feedback|reviews?|complaints?|feature requests?|survey|testimonials?)\b", "Customer Feedback", "piece of feedback",
        ("Feedback", "Customer", "Sentiment", "Category", "Date Received", "Status", "Resolved"),
        {"category": ("Bug", "Feature request", "Praise", "Question"), "status": ("New", "In review", "Planned", "Closed"),
         "type": ("Bug", "Feature request", "Praise", "Question")},
    ),
    Domain(
        "leads", r"\b(leads?|prospects?|sales|deals?|pipeline|crm|opportunit\w+)\b", "Leads", "lead",
        ("Name", "Company", "Email", "Status", "Deal Value", "Last Contacted", "Notes"),
        {"status": _LEAD_STATUS, "stage": _LEAD_STATUS, "source": ("Website", "Referral", "Event", "Cold call")},
    ),
    Domain(
        "customers", r"\b(customers?|clients?|accounts)\b", "Customers", "customer",
        ("Name", "Company", "Email", "Phone", "Status", "Customer Since", "Notes"),
        {"status": ("Active", "Onboarding", "Paused", "Left")},
    ),
    Domain(
        "contacts", r"\b(contacts?|people|address book|friends?|network|phone book|birthdays?)\b", "Contacts", "contact",
        ("Name", "Email", "Phone", "Company", "City", "Birthday", "Notes"),
        {"group": ("Family", "Friend", "Work"), "type": ("Family", "Friend", "Work")},
    ),
    Domain(
        "subscriptions", r"\b(subscriptions?|memberships?|recurring (?:payments|bills))\b", "Subscriptions", "subscription",
        ("Service", "Category", "Price", "Billing Cycle", "Next Renewal", "Active", "Notes"),
        {"category": ("Entertainment", "Work", "Health", "News")},
    ),
    Domain(
        "expenses", r"\b(expenses?|spending|budgets?|costs?|bills?|receipts?|purchases|money|finances?)\b", "Expenses", "expense",
        ("Description", "Category", "Amount", "Date", "Payment Method", "Reimbursed", "Notes"),
        {"category": ("Groceries", "Transport", "Housing", "Eating out", "Health", "Other")},
    ),
    Domain(
        "invoices", r"\b(invoices?|billing)\b", "Invoices", "invoice",
        ("Invoice Number", "Customer", "Amount", "Issued On", "Due Date", "Status", "Notes"),
        {"status": ("Draft", "Sent", "Paid", "Overdue")},
    ),
    Domain(
        "papers", r"\b(papers?|articles?|literature|publications?|citations|studies)\b", "Papers", "paper",
        ("Title", "Authors", "Year", "Journal", "Status", "Rating", "Notes"),
        {"status": ("To read", "Reading", "Read"), "topic": ("Methods", "Theory", "Applications", "Review")}, leading=2,
    ),
    Domain(
        "books", r"\b(books?|reading list|library|novels?|reading)\b", "Reading List", "book",
        ("Title", "Author", "Genre", "Status", "Pages", "Rating", "Finished On"),
        {"status": ("To read", "Reading", "Finished")}, leading=2,
    ),
    Domain(
        "movies", r"\b(movies?|films?|shows?|series|watch ?list|watchlist|documentar\w+)\b", "Watchlist", "film",
        ("Title", "Genre", "Status", "Year", "Rating", "Watched On", "Notes"),
        {"status": ("To watch", "Watching", "Watched"), "genre": ("Drama", "Comedy", "Thriller", "Science fiction", "Documentary")},
    ),
    Domain(
        "inventory", r"\b(inventory|stock|warehouse|supplies|equipment|assets?|products?|parts|merchandise|pantry)\b", "Inventory", "item",
        ("Item", "Category", "Quantity", "Unit Price", "Location", "Reorder Level", "Last Checked Date"),
        {"category": ("Electronics", "Furniture", "Office", "Tools"), "status": ("In stock", "Low", "Ordered", "Out of stock")},
    ),
    Domain(
        "apartments", r"\b(apartments?|flats?|housing|houses?|homes?|rentals?|properties|property|real estate|viewings?)\b", "Apartments", "apartment",
        ("Address", "Rent", "Rooms", "Area", "Status", "Viewing Date", "Pets Allowed", "Notes"),
        {"status": ("To view", "Viewed", "Applied", "Declined")},
    ),
    Domain(
        "recipes", r"\b(recipes?|meals?|dishes|cooking|dinners?|menu)\b", "Recipes", "recipe",
        ("Name", "Cuisine", "Course", "Minutes", "Servings", "Rating", "Vegetarian", "Notes"),
    ),
    Domain(
        "events", r"\b(events?|conferences?|meetups?|parties|party|wedding|guests?|workshops?|meetings?|concerts?)\b", "Events", "event",
        ("Name", "Date", "Location", "Type", "Status", "Attendees", "Notes"),
        {"type": ("Conference", "Meetup", "Workshop", "Party"), "status": ("Planned", "Confirmed", "Done", "Cancelled")},
    ),
    Domain(
        "trips", r"\b(trips?|travels?|travel|holidays?|vacations?|itinerar\w+|destinations?|places to visit)\b", "Trips", "trip",
        ("Destination", "Start Date", "End Date", "Status", "Budget", "Booked", "Notes"),
        {"status": ("Idea", "Planned", "Booked", "Done")},
    ),
    Domain(
        "workouts", r"\b(workouts?|training|exercises?|gym|runs?|running|fitness)\b", "Workouts", "workout",
        ("Exercise", "Date", "Type", "Minutes", "Distance", "Effort", "Notes"),
        {"type": ("Cardio", "Strength", "Mobility")},
    ),
    Domain(
        "students", r"\b(students?|pupils?|class|grades|homework|assignments?|courses?)\b", "Students", "student",
        ("Name", "Email", "Course", "Score", "Status", "Enrolled On", "Notes"),
        {"status": ("Active", "Finished", "Dropped"), "course": ("Maths", "Physics", "History", "Art")},
    ),
    Domain(
        "employees", r"\b(employees?|staff|colleagues|team members|personnel)\b", "Employees", "employee",
        ("Name", "Email", "Department", "Position", "Start Date", "Salary", "Active"),
    ),
    Domain(
        "plants", r"\b(plants?|garden|gardening|vegetables)\b", "Plants", "plant",
        ("Name", "Location", "Last Watered Date", "Light", "Notes"),
        {"light": ("Full sun", "Half shade", "Shade")},
    ),
    Domain(
        "tasks", r"\b(tasks?|to-?dos?|projects?|chores?|goals?|milestones?|work items|roadmap|okrs?)\b", "Tasks", "task",
        ("Task", "Status", "Priority", "Owner", "Due Date", "Notes"),
        {"status": ("To do", "In progress", "Blocked", "Done")},
    ),
)  # fmt: skip

GENERIC = Domain("generic", r"(?!)", "Table", "row", ("Name", "Status", "Notes"))


def find_domain(text: str) -> Domain | None:
    """The subject that a phrase is about: the one whose word comes last ("job interview tasks" are tasks)."""
    folded = key(text)
    best: tuple[int, Domain] | None = None
    for domain in DOMAINS:
        for found in re.finditer(domain.pattern, folded):
            if best is None or found.end() > best[0]:
                best = (found.end(), domain)
    return best[1] if best else None
