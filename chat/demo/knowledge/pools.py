"""Made-up names and titles. No real person is meant; works of literature are in the public domain."""

from __future__ import annotations

COMPANY_HEADS = (
    "Northwind", "Halden", "Cobalt", "Arbor", "Polar", "Lumen", "Quarry", "Juniper", "Meridian", "Tidewater", "Ember",
    "Harbour", "Vela", "Cedar", "Atlas", "Marlow", "Kestrel", "Orchard", "Summit", "Birch", "Falcon", "Granite",
    "Willow", "Saffron", "Pinnacle", "Nimbus", "Copper", "Beacon", "Larkspur", "Opal",
)  # fmt: skip
COMPANY_TAILS = ("Labs", "Robotics", "Freight", "Bank", "Maps", "Health", "Studio", "Systems", "Foods", "Energy")
FIRST_NAMES = (
    "Maya", "Jonas", "Priya", "Tom", "Elena", "Samir", "Grace", "Luca", "Nora", "Kofi", "Ines", "Daniel", "Aiko", "Peter",
    "Leila", "Oscar", "Hannah", "Mateo", "Sofia", "Ravi", "Clara", "Emil", "Zoe", "Ahmed", "Julia", "Victor", "Mei", "Paul",
)  # fmt: skip
LAST_NAMES = (
    "Okafor", "Lindqvist", "Sharma", "Becker", "Moreau", "Haddad", "Kim", "Rossi", "Novak", "Mensah", "Silva", "Fischer",
    "Tanaka", "Larsen", "Rahimi", "Wagner", "Cohen", "Garcia", "Petrov", "Iyer", "Jansen", "Holm", "Papadakis", "Farouk",
)  # fmt: skip
POSITIONS = (
    "Product Designer", "Software Engineer", "Data Analyst", "Product Manager", "Backend Engineer", "UX Researcher",
    "Marketing Manager", "DevOps Engineer", "Technical Writer", "Sales Engineer", "QA Engineer", "Frontend Developer",
    "Project Manager", "Customer Success Manager", "Machine Learning Engineer", "Operations Lead", "Financial Analyst",
    "Content Strategist", "Security Engineer", "Business Analyst",
)  # fmt: skip
CITIES = (
    "Berlin", "Lisbon", "Toronto", "Austin", "Dublin", "Copenhagen", "Melbourne", "Oslo", "Barcelona", "Vienna", "Seattle",
    "Utrecht", "Zurich", "Montreal", "Helsinki", "Boston", "Prague", "Lyon", "Bristol", "Ghent",
)  # fmt: skip
COUNTRIES = (
    "Germany",
    "Portugal",
    "Canada",
    "Ireland",
    "Denmark",
    "Norway",
    "Spain",
    "Austria",
    "Japan",
    "Kenya",
    "Chile",
)
STREETS = (
    "Maple Street",
    "Mill Lane",
    "Station Road",
    "Park Avenue",
    "Harbour Street",
    "Church Row",
    "Garden Way",
    "Hill Road",
)
BOOKS = (
    ("Pride and Prejudice", "Jane Austen", 1813, 432), ("Frankenstein", "Mary Shelley", 1818, 280),
    ("Moby-Dick", "Herman Melville", 1851, 635), ("Middlemarch", "George Eliot", 1871, 880),
    ("Dracula", "Bram Stoker", 1897, 418), ("Jane Eyre", "Charlotte Brontë", 1847, 532),
    ("Walden", "Henry David Thoreau", 1854, 352), ("The Time Machine", "H. G. Wells", 1895, 118),
    ("Great Expectations", "Charles Dickens", 1861, 544), ("The Moonstone", "Wilkie Collins", 1868, 528),
    ("Little Women", "Louisa May Alcott", 1868, 449), ("Treasure Island", "Robert Louis Stevenson", 1883, 292),
    ("Anna Karenina", "Leo Tolstoy", 1878, 864), ("Heart of Darkness", "Joseph Conrad", 1899, 126),
    ("The Awakening", "Kate Chopin", 1899, 190), ("Candide", "Voltaire", 1759, 144),
)  # fmt: skip
FILMS = (
    "The Quiet Harbour", "Seven Winters", "Paper Lanterns", "The Last Ferry", "Orbit", "Night Train East", "A Field in June",
    "The Cartographer", "Blue Hour", "Small Kingdoms", "The Understudy", "Salt and Stone",
)  # fmt: skip
PAPER_TOPICS = (
    "Attention in Small Networks", "Sampling Under Drift", "Urban Heat and Tree Cover", "Sleep and Working Memory",
    "Microplastics in River Sediment", "Trust in Shared Ledgers", "Soil Carbon after Fire", "Robust Estimates from Few Labels",
    "Commuting and Well-being", "Graph Methods for Citations", "Coral Recovery at Depth", "Reading on Screens",
)  # fmt: skip
JOURNALS = ("Journal of Applied Methods", "Open Ecology", "Annals of Computing", "Review of Cognition", "Field Notes")
ITEMS = (
    "Desk lamp", "Standing desk", "USB-C cable", "Office chair", "Monitor 27 inch", "Whiteboard", "Label printer", "Webcam",
    "Notebook A5", "Cordless drill", "Extension cord", "Headset", "Filing cabinet", "Ladder", "Toolbox", "Paper shredder",
    "Power adapter", "Projector", "Keyboard", "Storage box",
)  # fmt: skip
EXPENSES = (
    "Weekly groceries", "Train ticket", "Electricity bill", "Dinner with friends", "Gym membership", "Phone bill", "Coffee",
    "Dentist", "Bus pass", "Internet bill", "Lunch", "Winter jacket", "Pharmacy", "Car repair", "Cinema", "Bakery",
)  # fmt: skip
TASKS = (
    "Draft the project plan", "Review the budget", "Book the venue", "Update the website", "Write the release notes",
    "Call the landlord", "Prepare the slides", "Collect feedback", "Fix the sign-up form", "Order new laptops",
    "Renew the insurance", "Plan the offsite", "Clean up the backlog", "Interview two users", "Send the invoices",
    "Translate the manual", "Test the backup", "Archive old files", "Design the poster", "Schedule the photo shoot",
)  # fmt: skip
BUGS = (
    "Login fails after a password reset", "Export drops the last row", "Dark mode hides the menu", "Search ignores accents",
    "Upload hangs at 99 percent", "Wrong total on the invoice", "Page jumps while scrolling", "E-mail is sent twice",
    "Date picker shows the wrong month", "Crash when the list is empty", "Slow start on old phones", "Broken link in the footer",
    "Filter resets after a reload", "Duplicate entries after import", "Notification has no text", "Layout breaks in landscape",
)  # fmt: skip
FEEDBACK = (
    "Setup took only minutes", "I cannot find the export", "Please add dark mode", "Support answered very quickly",
    "The app is slow in the morning", "I love the new dashboard", "Invoices are hard to read", "Is there a mobile app?",
    "Search finds what I need", "Too many e-mails", "The price went up without notice", "Sharing with my team works well",
)  # fmt: skip
RECIPES = (
    "Lemon lentil soup", "Mushroom risotto", "Chickpea curry", "Baked salmon", "Pumpkin ravioli", "Shakshuka", "Beef tacos",
    "Miso noodles", "Ratatouille", "Apple crumble", "Caesar salad", "Pad thai", "Spinach quiche", "Black bean chili",
)  # fmt: skip
EVENTS = (
    "Spring design meetup", "Founders breakfast", "Data conference", "Team offsite", "Product launch", "Photography workshop",
    "Charity run", "Open studio day", "Book club evening", "Developer summit", "Harvest party", "Writing weekend",
)  # fmt: skip
SERVICES = (
    "Streamly",
    "Cloudbox",
    "Paperboy News",
    "Tunebird",
    "Fitlane",
    "Mealmate",
    "Notewell",
    "Framepad",
    "Langly",
    "Safekey",
)
PROJECTS = (
    "Website relaunch", "Mobile app", "Office move", "Data migration", "Brand refresh", "Customer portal", "Hiring plan",
    "Pricing study", "Help center", "Partner program",
)  # fmt: skip
EXERCISES = (
    "Easy run",
    "Interval run",
    "Squats",
    "Deadlift",
    "Swim",
    "Yoga",
    "Rowing",
    "Bench press",
    "Cycling",
    "Pilates",
)
PLANTS = ("Monstera", "Basil", "Lavender", "Tomato", "Fern", "Rosemary", "Aloe", "Peace lily", "Snake plant", "Mint")
NOTES = (
    "Call back next week", "Waiting for a reply", "Looks promising", "Ask about the details", "Recommended by a friend",
    "Needs a second look", "Good first impression", "Check the terms", "Sent a reminder", "Nothing to add for now",
)  # fmt: skip
THEMES = (
    "Onboarding", "Pricing", "Speed", "Search", "Mobile app", "Notifications", "Export", "Support", "Sharing", "Dashboard",
    "Invoices", "Appearance",
)  # fmt: skip
SHELVES = ("Storeroom", "Shelf A", "Shelf B", "Front desk", "Workshop", "Basement", "Cupboard 2", "Meeting room")
SPOTS = ("Kitchen window", "Balcony", "Living room", "Bathroom", "Hallway", "Study", "Terrace", "Bedroom")
# What a thing may be called of which nothing is known.
PROPER_NAMES = (
    "Aurora", "Bluebell", "Compass", "Driftwood", "Evergreen", "Foxglove", "Golden Hour", "Halcyon", "Indigo", "Jasper",
    "Kingfisher", "Lantern", "Marigold", "Nightingale", "Old Oak", "Pebble", "Quicksilver", "Rosewood", "Sandpiper", "Thistle",
)  # fmt: skip
NOTES_ABOUT = {
    "bugs": ("Happens every time", "Could not reproduce it", "Only in Firefox", "Since the last release", "A reload helps", "Log is attached",
             "Reported twice already", "Customers notice it"),
    "tasks": ("Waiting for a reply", "First draft is done", "Needs a second pair of eyes", "Ask Maya about the details", "Half an hour at most",
              "Depends on the budget"),
    "books": ("Recommended by a friend", "Slow start, then great", "For the book club", "Borrowed from the library", "Read it again some day"),
    "movies": ("Recommended by a friend", "With subtitles", "For a rainy evening", "Great music", "Won a prize"),
    "papers": ("Good overview", "Check the method section", "Cited everywhere", "Data are online", "Compare with last year's"),
    "recipes": ("Double the garlic", "Freezes well", "Good for guests", "Less salt next time", "Works without the oven"),
    "plants": ("New leaf", "Repot in spring", "Likes it humid", "Turn it once a week", "Cut back in autumn"),
    "workouts": ("Felt strong", "Knee was stiff", "New personal best", "Slow and easy", "With Tom"),
    "events": ("Send the invitations", "Book the caterer", "Room for sixty", "Bring name tags", "Parking is scarce"),
    "trips": ("Check the passports", "By night train", "Small hotel near the river", "With the bikes", "Off season is cheaper"),
    "expenses": ("Receipt is in the folder", "Shared with Jonas", "Paid by card", "Once a year", "Split in two"),
    "subscriptions": ("Shared with the family", "Yearly would be cheaper", "Cancel before it renews", "Student rate", "Hardly used"),
    "apartments": ("Quiet street", "No lift", "Kitchen included", "Close to the park", "Ask about the deposit", "Bright rooms"),
    "students": ("Asks good questions", "Missed two classes", "Wants extra work", "Much better since June", "Hands in on time"),
    "invoices": ("Reminder sent", "Two instalments", "New address", "Paid within a week", "Ask for the order number"),
}  # fmt: skip
